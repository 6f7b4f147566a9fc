//! Hostile names, repositories and environments: nothing of them runs.

use std::os::unix::fs::PermissionsExt;

use paseo_runtime::git::{
    BranchName, Error, Force, Worktree, branch_of, files, ignored, left_out, repository,
};

use super::{Place, branch, git_in, in_environment};

#[test]
fn hostile_branch_names_are_no_branch_names() {
    for name in ["--upload-pack=x", "-b", "..", "a..b", "@{", "a b", "a\u{1b}[2J", "a\nb", "a\u{202e}b"] {
        assert!(name.parse::<BranchName>().is_err(), "{name:?}");
    }
}

#[tokio::test]
async fn names_that_mean_something_to_a_shell_are_only_names() {
    let place = Place::new();
    let mut new = place.new_worktree("one").await;
    new.path = place.path("worktrees/it's $(touch ran); `touch ran`");
    new.branch = branch("$(touch${IFS}ran);'\"`x`");
    let worktree = Worktree::create(new).await.unwrap().worktree;
    place.write("worktrees/it's $(touch ran); `touch ran`/new", "new");
    let archive = worktree.remove(Force::Yes).await.unwrap().archive.unwrap();
    super::shell(&archive.restore);
    assert_eq!(std::fs::read_to_string(worktree.path.join("new")).unwrap(), "new");
    assert!(worktree.rename_branch(branch("größe/日本")).await.is_ok());
    place.assert_nothing_ran();
    assert!(!worktree.path.join("ran").exists());
}

#[tokio::test]
async fn a_base_that_looks_like_an_option_is_no_base() {
    let place = Place::new();
    for base in ["--help", "-h", "--output=ran", "--all", "--not", "--git-dir", "--end-of-options", "--"] {
        let mut new = place.new_worktree("one").await;
        new.base = Some(base.to_owned());
        assert!(matches!(Worktree::create(new).await, Err(Error::UnknownBase(_))), "{base}");
    }
    assert!(!place.path("repo/ran").exists());
}

/// Goes through all that a worktree can live through.
async fn whole_life(place: &Place) {
    let found = repository(&place.root()).await.unwrap().unwrap();
    left_out(&found).await.unwrap();
    branch_of(&place.root()).await.unwrap();
    ignored(&place.root(), &["untracked".as_ref()]).await.unwrap();
    files(&place.root(), |_| ()).await.unwrap();
    let worktree = place.create("one").await.worktree;
    place.write("worktrees/one/tracked", "changed\n");
    place.write("worktrees/one/new", "new\n");
    worktree.status().await.unwrap();
    let worktree = worktree.rename_branch(branch("renamed")).await.unwrap();
    worktree.loss().await.unwrap();
    worktree.remove(Force::Yes).await.unwrap().archive.unwrap();
}

#[tokio::test]
async fn hooks_of_the_repository_do_not_run() {
    let place = Place::new();
    let trap = place.trap();
    let hooks = place.path("repo/hooks");
    std::fs::create_dir(&hooks).unwrap();
    for name in ["post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-index-change"] {
        for folder in [&hooks, &place.path("repo/.git/hooks")] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::copy(&trap, folder.join(name)).unwrap();
            std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
    whole_life(&place).await;
    place.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
    whole_life(&place).await;
    // Hooks as configuration, which newer versions of git know.
    place.git(["config", "hook.trap.command", &trap]);
    place.git(["config", "--add", "hook.trap.event", "post-checkout"]);
    whole_life(&place).await;
    place.assert_nothing_ran();
}

#[tokio::test]
async fn programs_in_the_repositorys_configuration_do_not_run() {
    let place = Place::new();
    let trap = place.trap();
    place.write("repo/.gitattributes", "* filter=trap diff=trap merge=trap\n");
    place.git(["add", "."]);
    place.git(["commit", "-qm", "Attributes"]);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "merge.trap.driver",
        "filter.trap.smudge",
        "filter.trap.clean",
        "filter.trap.process",
        "gpg.program",
        "sequence.editor",
        "pager.status",
        "pager.worktree",
        "alias.worktree",
        "alias.status",
    ] {
        let value = if key.starts_with("alias") { format!("!{trap}") } else { trap.clone() };
        place.git(["config", key, &value]);
    }
    place.git(["config", "filter.trap.required", "true"]);
    place.git(["config", "commit.gpgSign", "true"]);
    place.git(["config", "log.showSignature", "true"]);
    // The user's own git ran the traps while the test was set up.
    let _ = std::fs::remove_file(place.path("ran"));
    whole_life(&place).await;
    place.assert_nothing_ran();
}

#[tokio::test]
async fn programs_in_what_the_configuration_includes_do_not_run() {
    let place = Place::new();
    let trap = place.trap();
    place.write("repo/.gitattributes", "* filter=trap\n");
    place.write("repo/included", &format!("[filter \"trap\"]\n\tsmudge = {trap}\n\tclean = {trap}\n"));
    place.git(["add", "."]);
    place.git(["commit", "-qm", "Attributes"]);
    place.git(["config", "include.path", "../included"]);
    whole_life(&place).await;
    place.git(["config", "--unset", "include.path"]);
    place.git(["config", "extensions.worktreeConfig", "true"]);
    place.git(["config", "--worktree", "filter.trap.smudge", &trap]);
    let worktree = place.create("two").await.worktree;
    git_in(&worktree.path, ["config", "--worktree", "filter.trap.clean", &trap]);
    let _ = std::fs::remove_file(place.path("ran"));
    place.write("worktrees/two/new", "new");
    worktree.remove(Force::Yes).await.unwrap();
    place.assert_nothing_ran();
}

#[tokio::test]
async fn a_folder_that_looks_like_a_repository_is_none() {
    let place = Place::new();
    let trap = place.trap();
    place.git(["init", "-q", "--bare", "docs"]);
    git_in(&place.path("repo/docs"), ["config", "core.fsmonitor", &trap]);
    git_in(&place.path("repo/docs"), ["config", "core.bare", "false"]);
    git_in(&place.path("repo/docs"), ["config", "core.worktree", place.root().to_str().unwrap()]);
    assert!(repository(&place.path("repo/docs")).await.is_err());
    place.assert_nothing_ran();
}

#[tokio::test]
async fn a_submodule_of_the_agents_runs_nothing() {
    let place = Place::new();
    let trap = place.trap();
    place.git(["clone", "-q", ".", "../library"]);
    place.git(["submodule", "--quiet", "add", "../library", "library"]);
    place.git(["commit", "-qm", "Add a submodule"]);
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["submodule", "--quiet", "update", "--init"]);
    for directory in [worktree.path.join("library"), place.path("repo/library")] {
        git_in(&directory, ["config", "core.fsmonitor", &trap]);
        git_in(&directory, ["config", "filter.trap.clean", &trap]);
        std::fs::write(directory.join(".gitattributes"), "* filter=trap\n").unwrap();
        std::fs::write(directory.join("tracked"), "two\n").unwrap();
    }
    let _ = std::fs::remove_file(place.path("ran"));
    left_out(&place.repository().await).await.unwrap();
    worktree.status().await.unwrap();
    assert!(worktree.remove(Force::Yes).await.is_err());
    place.assert_nothing_ran();
}

#[tokio::test]
async fn a_partial_clone_fetches_nothing() {
    let place = Place::new();
    let trap = place.trap();
    place.git(["config", "remote.origin.url", &format!("ext::{trap}")]);
    place.git(["config", "remote.origin.promisor", "true"]);
    place.git(["config", "remote.origin.partialCloneFilter", "blob:none"]);
    place.git(["config", "remote.origin.uploadpack", &trap]);
    place.git(["config", "protocol.ext.allow", "always"]);
    place.git(["config", "extensions.partialClone", "origin"]);
    place.git(["config", "core.repositoryFormatVersion", "1"]);
    let blob = place.git(["rev-parse", "main:tracked"]);
    std::fs::remove_file(place.path("repo/.git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    assert!(Worktree::create(place.new_worktree("one").await).await.is_err());
    assert!(!place.path("worktrees/one").exists());
    place.assert_nothing_ran();
}

#[test]
fn the_callers_environment_does_not_steer_git() {
    let decoy = Place::new();
    let (git_dir, root) = (decoy.path("repo/.git"), decoy.root());
    let (git_dir, root) = (git_dir.to_str().unwrap(), root.to_str().unwrap());
    let trap = decoy.trap();
    let there = in_environment(
        "git::attacks::the_callers_environment_does_not_steer_git",
        &[
            ("GIT_DIR", git_dir),
            ("GIT_WORK_TREE", root),
            ("GIT_INDEX_FILE", "/nowhere/index"),
            ("GIT_COMMON_DIR", git_dir),
            ("GIT_OBJECT_DIRECTORY", "/nowhere/objects"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
            ("GIT_CONFIG_VALUE_0", &trap),
            ("GIT_CONFIG_PARAMETERS", "'core.bare'='true'"),
            ("GIT_EXTERNAL_DIFF", &trap),
            ("GIT_NAMESPACE", "x"),
            ("GIT_CEILING_DIRECTORIES", "/"),
            ("LC_ALL", "de_DE.UTF-8"),
        ],
    );
    if !there {
        return decoy.assert_nothing_ran();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let place = Place::new();
    runtime.block_on(async {
        assert_eq!(place.repository().await.root, place.root());
        assert_eq!(repository(&place.path("")).await.unwrap(), None);
        whole_life(&place).await;
    });
}

#[test]
fn filters_of_the_user_run_even_when_the_repository_redefines_them() {
    let home = tempfile::TempDir::new().unwrap();
    let config = home.path().join("config");
    std::fs::write(
        &config,
        "[filter \"upper\"]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n\trequired = true\n",
    )
    .unwrap();
    if !in_environment(
        "git::attacks::filters_of_the_user_run_even_when_the_repository_redefines_them",
        &[("GIT_CONFIG_GLOBAL", config.to_str().unwrap())],
    ) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let place = Place::new();
        let trap = place.trap();
        place.write("repo/.gitattributes", "tracked filter=upper\n");
        place.git(["add", "."]);
        place.git(["commit", "-qm", "Attributes"]);
        place.git(["config", "filter.upper.smudge", &trap]);
        let worktree = place.create("one").await.worktree;
        assert_eq!(place.read("worktrees/one/tracked"), "ONE\n");
        assert!(worktree.loss().await.unwrap().is_empty());
        place.write("worktrees/one/tracked", "TWO\n");
        let archive = worktree.remove(Force::Yes).await.unwrap().archive.unwrap();
        assert_eq!(place.git(["show", &format!("{}:tracked", archive.reference)]), "two");
        place.assert_nothing_ran();
    });
}

#[tokio::test]
async fn the_worktrees_own_git_file_is_not_believed() {
    let place = Place::new();
    let trap = place.trap();
    let worktree = place.create("one").await.worktree;
    place.git(["init", "-q", "../evil"]);
    git_in(&place.path("evil"), ["config", "core.fsmonitor", &trap]);
    let link = format!("gitdir: {}\n", place.path("evil/.git").display());
    std::fs::write(worktree.path.join(".git"), link).unwrap();
    for outcome in [
        worktree.status().await.map(drop),
        worktree.rename_branch(branch("new")).await.map(drop),
        worktree.remove(Force::Yes).await.map(drop),
    ] {
        assert!(matches!(outcome, Err(Error::NotAWorktree { .. })), "{outcome:?}");
    }
    assert!(worktree.path.exists());
    place.assert_nothing_ran();
}
