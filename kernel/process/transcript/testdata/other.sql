CREATE TABLE session (song TEXT);
