"""Proved enclosures of any motion: balls, jets, series, flows, events, hybrid motions."""
