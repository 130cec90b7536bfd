"""SQLite: connection, numbered migrations, the journal and one repository per aggregate."""
