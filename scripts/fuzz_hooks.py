"""Mends a link that schemathesis infers wrongly: the `team` of some answers is an object, and paths want its id."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    team = (case.path_parameters or {}).get("team")
    if isinstance(team, dict):
        case.path_parameters["team"] = str(team.get("id"))
    elif isinstance(team, str) and team.startswith("{"):
        case.path_parameters["team"] = "nowhere"
