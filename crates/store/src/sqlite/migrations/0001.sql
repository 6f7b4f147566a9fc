-- Names are long and repeated; everything else refers to a stream by number.
CREATE TABLE stream (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The log. Rows are only ever appended, and only ever changed by setting `data` to NULL.
CREATE TABLE event (
    seq     INTEGER PRIMARY KEY,
    stream  INTEGER NOT NULL REFERENCES stream (id),
    version INTEGER, -- of a control event
    ordinal INTEGER, -- of an item event
    id      BLOB NOT NULL,
    ts      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    v       INTEGER NOT NULL,
    data    TEXT,    -- NULL once the stream was erased
    content BLOB,    -- of an item event; the row it names may be empty by now
    CHECK ((version IS NULL) <> (ordinal IS NULL))
) STRICT;

CREATE UNIQUE INDEX event_version ON event (stream, version) WHERE version IS NOT NULL;
CREATE UNIQUE INDEX event_ordinal ON event (stream, ordinal) WHERE ordinal IS NOT NULL;

-- What the fold makes of each stream. Derived: it can be emptied and built again from `event`.
CREATE TABLE stream_head (
    stream  INTEGER PRIMARY KEY REFERENCES stream (id),
    version INTEGER NOT NULL,
    items   INTEGER NOT NULL,
    ts      INTEGER NOT NULL,
    live    INTEGER NOT NULL,
    epoch   INTEGER NOT NULL,
    state   BLOB NOT NULL
) STRICT;

-- Boot loads the live heads, however many others there are.
CREATE INDEX stream_head_live ON stream_head (stream) WHERE live = 1;

-- Large texts, once each. An erased row stays, empty: see `content`.
CREATE TABLE blob (
    id     INTEGER PRIMARY KEY,
    sha256 BLOB UNIQUE,
    zstd   BLOB
) STRICT;

-- Texts. Rows are appended and only ever shrink, because SQLite moves a row to another page only when rows
-- grow or go, and what it moved stays readable in the free space of the page it came from. So an erased row
-- is emptied where it stands, not deleted.
CREATE TABLE content (
    row    INTEGER PRIMARY KEY,
    id     BLOB NOT NULL UNIQUE,
    owner  INTEGER NOT NULL REFERENCES stream (id),
    len    INTEGER,  -- NULL once the row is erased
    sha256 BLOB,
    text   TEXT,     -- all of it, or else head and tail of the blob's
    head   TEXT,
    tail   TEXT,
    blob   INTEGER REFERENCES blob (id),
    extra  TEXT
) STRICT;

CREATE INDEX content_owner ON content (owner) WHERE len IS NOT NULL;
CREATE INDEX content_blob ON content (blob) WHERE blob IS NOT NULL;

-- Requests that were answered. `row` is their order in time, so that the expired ones are found first.
CREATE TABLE idempotency (
    row     INTEGER PRIMARY KEY,
    scope   TEXT NOT NULL,
    key     TEXT NOT NULL,
    body    BLOB NOT NULL,
    receipt TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (scope, key)
) STRICT;
