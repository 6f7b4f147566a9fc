//! The numbers that bound everything. In one place, so that docs and errors agree.

/// Longest message that is accepted, in bytes.
pub const MESSAGE_BYTES: usize = 256 * 1024;
/// Largest file that can be attached, in bytes.
pub const ATTACHMENT_BYTES: u64 = 32 * 1024 * 1024;
/// Largest text file that can be attached, in bytes: agents get it word for word.
pub const ATTACHMENT_TEXT_BYTES: u64 = 256 * 1024;
/// Most files of one message.
pub const ATTACHMENTS: usize = 10;
/// How large the files of one message may be in sum, and those of one turn, in bytes.
pub const ATTACHMENTS_BYTES: u64 = 32 * 1024 * 1024;
/// Most pixels of an image on one side, and in all.
pub const IMAGE_SIDE: u32 = 16_384;
pub const IMAGE_PIXELS: u64 = 100_000_000;
/// How long a file is kept that no message refers to, in seconds.
pub const UPLOAD_SECONDS: u64 = 24 * 60 * 60;
/// Most files that no message refers to, and how large they may be in sum, in bytes.
pub const UPLOADS: u64 = 256;
pub const UPLOADS_BYTES: u64 = 512 * 1024 * 1024;
/// The same of one agent. People and agents are counted apart.
pub const AGENT_UPLOADS: u64 = 16;
pub const AGENT_UPLOADS_BYTES: u64 = 128 * 1024 * 1024;
/// Most uploads at a time.
pub const UPLOADS_AT_ONCE: usize = 4;
/// Longest JSON Schema of a message, in bytes as compact JSON.
pub const SCHEMA_BYTES: usize = 64 * 1024;
/// Deepest nesting of a JSON Schema.
pub const SCHEMA_DEPTH: usize = 64;
/// How often an agent is asked to correct an answer that does not satisfy its schema.
pub const CORRECTIONS: u8 = 2;
/// Most violations that are told of one answer, and longest description of one, in characters.
pub const VIOLATIONS: usize = 20;
pub const VIOLATION_CHARS: usize = 300;
/// Largest answer that is checked against a schema, in bytes.
pub const CHECKED_BYTES: usize = 4 * 1024 * 1024;
/// How long one check may take, in seconds, and how much memory it may use, in bytes.
pub const CHECK_SECONDS: u64 = 10;
pub const CHECK_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Most checks at a time.
pub const CHECKS_AT_ONCE: usize = 2;
/// Most messages that may wait in one session.
pub const QUEUE_LENGTH: usize = 500;
/// Most messages that one turn takes.
pub const TURN_DELIVERIES: usize = 64;
/// Most messages that one event holds.
pub const HELD_DELIVERIES: usize = 256;
/// How often a message is handed to a harness that never confirms, before it is held.
pub const HANDING_ATTEMPTS: u8 = 2;
/// Turns without a human message, per session and cause.
pub const WAKES_PER_SESSION: u32 = 6;
/// Turns without a human message, per cause in total.
pub const WAKES_PER_CAUSE: u32 = 64;
/// Settled deliveries that a session's state remembers; older ones are read from the log.
pub const RECENT_DELIVERIES: usize = 32;
/// Most who wait to be told about one session.
pub const WATCHES: usize = 64;
/// How many agents may wait for each other, one for the next.
pub const CHAIN: usize = 3;
/// How many ancestors an agent that an agent started may have.
pub const DEPTH: usize = 4;
/// How many agents below one that a person started may be at work at a time.
pub const DESCENDANTS: usize = 16;
/// How many agents may be started for one human request.
pub const SPAWNS_PER_CAUSE: u32 = 64;
/// How many agents may be started for one human request within a minute.
pub const SPAWNS_PER_MINUTE: usize = 12;
/// Longest that an agent waits for another, in seconds.
pub const WAIT_SECONDS: u64 = 3_600;
/// How long `agents_message` waits for an answer when the caller does not say, in seconds.
pub const MESSAGE_WAIT_SECONDS: u64 = 300;
/// How long `retrieve` waits when the caller does not say, in seconds.
pub const RETRIEVE_WAIT_SECONDS: u64 = 600;
/// How long harnesses are told to wait for one of our tools, in seconds: longer than [`WAIT_SECONDS`].
pub const TOOL_TIMEOUT_SECONDS: u64 = 3_900;
/// Most harnesses that live at once, unless the configuration says otherwise.
pub const LIVE_PROCESSES: usize = 8;
/// Of these, how many only people's messages get a process from, where there are two or more.
pub const PERSON_PLACES: usize = 1;
/// After how many seconds a thread is told that an answer is late, unless the configuration says otherwise.
pub const THREAD_PATIENCE_SECONDS: u64 = 600;
/// How long an agent is parked by a limit whose end has passed when it is told, in seconds.
pub const PARK_SHORTEST_SECONDS: i64 = 30;
/// Longest that a limit parks an agent, in seconds: some are counted by the week, and clocks differ.
pub const PARK_LONGEST_SECONDS: i64 = 8 * 24 * 3_600;
/// How long a login link is good for, in seconds.
pub const LOGIN_SECONDS: u64 = 300;
/// Lines of a terminal that a capture has, unless the caller says otherwise.
pub const CAPTURE_LINES: usize = 1_000;
/// How much of an answer an agent gets that asked for it, in characters.
pub const ANSWER_CHARS: usize = 20_000;
/// Most entries of a list of what is to be done.
pub const TODOS: usize = 200;
/// Longest entry of such a list, in characters.
pub const TODO_CHARS: usize = 2_000;
/// Longest slug of a definition, in characters.
pub const SLUG_CHARS: usize = 64;
/// Most attributes a session may have.
pub const ATTRIBUTES: usize = 32;
/// Longest attribute, name and value together, in bytes as the log holds it.
pub const ATTRIBUTE_BYTES: usize = 256;
/// Most labels a session may have.
pub const LABELS: usize = 32;
/// Longest label key or value, in bytes as the log holds it: a quote or a backslash counts twice.
pub const LABEL_BYTES: usize = 128;
/// Longest name or title, in characters.
pub const NAME_CHARS: usize = 120;
/// How much a list shows of what was said last, in characters.
pub const SNIPPET_CHARS: usize = 160;
/// Most calls without a result that a preview of a transcript remembers.
pub const OPEN_CALLS: usize = 64;
/// Turns on one page, unless asked for more.
pub const TURN_ROWS: usize = 100;
/// Most entries on one page of the inbox.
pub const INBOX_ROWS: usize = 100;
/// Most rows on one page.
pub const PAGE_ROWS: usize = 500;
/// Shortest time that a permission request is displayed before a decision made on a screen counts, in milliseconds.
pub const CONSENT_MS: u64 = 500;
/// Longest address of a push service, in bytes.
pub const PUSH_ENDPOINT_BYTES: usize = 2_048;
/// Most devices that get notifications.
pub const PUSH_DEVICES: usize = 64;
/// Most notifications to one device within a minute. More news become one.
pub const PUSHES_PER_MINUTE: usize = 20;
/// Most agents whose news wait to be told to one device; the others are only counted.
pub const PUSHES_PENDING: usize = 32;
/// How often a notification is posted that the push service does not take.
pub const PUSH_ATTEMPTS: u32 = 4;
/// How long a push service keeps a notification for a device that is off, in seconds.
pub const PUSH_SECONDS: u64 = 24 * 60 * 60;
/// Longest notification before it is encrypted, in bytes.
pub const PUSH_BYTES: usize = 2_048;
/// Fewest characters of a handle.
pub const HANDLE_CHARS: usize = 4;
/// Longest path of a session's directory, in bytes as the log holds it.
pub const PATH_BYTES: usize = 1024;
/// How much of a text file a preview shows, in bytes.
pub const PREVIEW_BYTES: usize = 256 * 1024;
/// Most entries of one directory that are read, and most files that are searched to complete a name.
pub const DIRECTORY_ENTRIES: usize = 200_000;
/// Most completions of a path at once.
pub const COMPLETIONS: usize = 50;
/// Most models of one provider that are listed.
pub const MODELS: usize = 1_000;
/// Most replies that a thread keeps while their authors may not speak.
pub const THREAD_HELD: usize = 64;
/// Most who spoke in a thread without being invited that it remembers.
pub const THREAD_GUESTS: usize = 256;
/// Messages and controls of one participant of a thread within a minute. People are not counted.
pub const THREAD_POSTS_PER_MINUTE: usize = 60;
/// How many earlier messages of a thread a participant is told when it is woken, and how much of them, in bytes.
pub const BRIEFING_MESSAGES: usize = 50;
pub const BRIEFING_BYTES: usize = 48 * 1024;
/// How much of one earlier message a participant is told, in bytes: a long one leaves room for the others.
pub const BRIEFING_MESSAGE_BYTES: usize = 8 * 1024;
/// Most bytes that the tags of a message in a thread take as JSON. They stand in the event itself.
pub const TAGS_BYTES: usize = 8 * 1024;
/// Most participants that a control of a thread names.
pub const CONTROL_TARGETS: usize = 64;
/// Most participants of a thread.
pub const THREAD_SEATS: usize = 64;
/// How many peers a prompt names.
pub const PROMPT_PEERS: usize = 50;
/// Most agents that one file defines.
pub const FILE_AGENTS: usize = 500;
/// Words of an agent elsewhere that no turn waited for, in one session.
pub const UNASKED_PER_HOUR: usize = 60;
/// Most characters and words that can be searched for at once.
pub const SEARCH_CHARS: usize = 1_000;
pub const SEARCH_TERMS: usize = 32;
/// Most workers at once, unless the configuration says otherwise.
pub const WORKERS: usize = 16;
/// Longest beginning of a worker's name, in characters.
pub const WORKER_PREFIX_CHARS: usize = 40;
/// Most tasks of a team.
pub const TEAM_TASKS: usize = 10_000;
/// Most agents of a team, and most participants of one of its threads.
pub const TEAM_AGENTS: usize = 64;
/// Most threads of a team.
pub const TEAM_THREADS: usize = 10_000;
/// Most tasks that a task depends on.
pub const TEAM_DEPS: usize = 256;
/// Most tasks that the end of another names as free to begin; the others are free as well.
pub const TEAM_UNBLOCKS: usize = 1_000;
/// How long the resources of a task may be together, in bytes.
pub const TEAM_RESOURCE_BYTES: usize = 8 * 1024;
/// Longest summary of what came of a task, in characters.
pub const TASK_SUMMARY_CHARS: usize = 2_000;
/// Longest description of a task, in bytes.
pub const TASK_DESCRIPTION_BYTES: usize = 64 * 1024;
/// Most rows of one table of traffic, for each minute.
pub const TRAFFIC_ROWS: usize = 4_096;
/// Most agents on the map.
pub const MAP_AGENTS: usize = 500;
/// Most overlaps that are listed of a task.
pub const TASK_OVERLAPS: usize = 8;
/// Refused writes that a team remembers of each member, and how many it notes of one in a minute.
pub const REFUSALS_KEPT: usize = 10;
pub const REFUSALS_PER_MINUTE: usize = 6;
/// How much of what a member wanted to do is kept with a refusal, in characters.
pub const REFUSAL_CHARS: usize = 400;
