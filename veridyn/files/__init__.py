"""Files of problems and results: tables, columns, export formats, functional mock-up units."""
