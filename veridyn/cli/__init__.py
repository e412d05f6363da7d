"""The command line: parser, configuration, commands."""
