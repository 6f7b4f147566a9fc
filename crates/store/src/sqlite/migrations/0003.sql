-- What can be searched. A row says where a text is and holds none, so there is nothing in it to be wiped; but like a
-- row of `content` it is emptied where it stands, because who spoke in a stream is erased with the stream.
-- Rows are in the order of the log: the newest have the highest number.
CREATE TABLE search_row (
    row     INTEGER PRIMARY KEY,
    stream  INTEGER,          -- NULL once the row is erased
    seq     INTEGER,
    ordinal INTEGER NOT NULL, -- of the item; a wider number while there is none, because rows only ever shrink
    content BLOB,             -- the text is this content's, or else in the event's data
    field   TEXT,             -- the text is this field of the content's side information, or of the event's data
    class   TEXT,
    who     TEXT,
    ts      INTEGER
) STRICT;

CREATE INDEX search_row_stream ON search_row (stream) WHERE stream IS NOT NULL;
CREATE INDEX search_row_content ON search_row (content) WHERE content IS NOT NULL;

-- Where the streams are at home: directories.
CREATE TABLE search_place (
    row    INTEGER PRIMARY KEY,
    stream INTEGER, -- NULL once the row is erased
    place  TEXT
) STRICT;

CREATE INDEX search_place_stream ON search_place (stream) WHERE stream IS NOT NULL;

-- The text of each row, as far as it is searched. `text_head` is a function of this program. What cannot be read is no
-- text: one damaged row must not keep all that comes after it from being found.
CREATE VIEW search_source (row, text) AS
SELECT r.row, CAST(CASE
    WHEN r.content IS NULL THEN iif(json_valid(e.data), json_extract(e.data, '$.' || r.field), NULL)
    WHEN r.field IS NOT NULL THEN iif(json_valid(c.extra), json_extract(c.extra, '$.' || r.field), NULL)
    WHEN c.text IS NOT NULL THEN c.text
    ELSE text_head(b.zstd)
END AS TEXT)
FROM search_row r
LEFT JOIN event e ON e.seq = r.seq
LEFT JOIN content c ON c.id = r.content
LEFT JOIN blob b ON b.id = c.blob;

-- Words, without their texts. SQLite cuts no word out of an index but by writing the index anew, so that there are
-- sixteen: a stream's words are in the one that its number says, and erasing it writes that one anew.
CREATE VIRTUAL TABLE search_text_0 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_1 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_2 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_3 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_4 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_5 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_6 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_7 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_8 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_9 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_10 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_11 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_12 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_13 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_14 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE search_text_15 USING fts5 (
    text, content = 'search_source', content_rowid = 'row', tokenize = 'unicode61 remove_diacritics 2'
);

-- Events up to `seq` were looked at, by the rules of `version`. One row.
CREATE TABLE search_cursor (
    seq     INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
INSERT INTO search_cursor (seq, version) VALUES (0, 0);
