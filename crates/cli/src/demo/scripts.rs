//! What the agents of the tour do. Start files of the scripted provider.

/// A program with a mistake, and a test that finds it.
pub(super) const FILES: [(&str, &str); 3] = [
    ("greet.sh", "#!/bin/sh\n# Prints a greeting.\necho \"Helo, ${1:-world}!\"\n"),
    (
        "test.sh",
        "#!/bin/sh\nsaid=$(sh greet.sh Ada)\nif [ \"$said\" = 'Hello, Ada!' ]; then echo 'ok: greets'; else echo \"FAILED: $said\"; exit 1; fi\n",
    ),
    ("README.md", "# Greet\n\nPrints a greeting.\n"),
];

/// The start files, by name.
pub(super) const SCRIPTS: [(&str, &str); 4] = [
    (
        "fix.script",
        "<<think The test says what is wrong. Run it first.>>\n\
         <<sh sh test.sh>>\n\
         <<sh sed 's/Helo/Hello/' greet.sh \\> greet.new && mv greet.new greet.sh>>\n\
         <<sh sh test.sh>>\n\
         <<usage 1840 212>>\n\
         <<stream 15ms The greeting was misspelt. I fixed greet.sh, and the test passes.>>\n\
         ---\n\
         <<ask May I commit greet.sh?>>\n\
         <<sh git commit --quiet --message 'Spell the greeting' greet.sh && git log --oneline>>\n\
         <<say Committed.>>\n",
    ),
    (
        "document.script",
        "<<sh printf '\\nsh greet.sh NAME\\n' \\>\\> README.md>>\n\
         <<say README.md now explains how to greet someone by name.>>\n",
    ),
    (
        "survey.script",
        "<<say Reading every file, one by one. This will take a while.>>\n\
         <<hang>>\n\
         ---\n\
         <<sh wc -l *.sh>>\n\
         <<say Counted the scripts only.>>\n\
         ---\n\
         <<say README.md is documentation, so I left it out.>>\n\
         ---\n\
         <<say That is all.>>\n",
    ),
    (
        "refactor.script",
        "<<say Halfway through a long change.>>\n\
         <<hang>>\n\
         ---\n\
         <<say I checked the existing changes and continued from there.>>\n",
    ),
];
