"""The first lines of a committed page of results: its title, then what was measured, by which command, and when.
scripts/check-results requires them."""

import datetime


def head(title, subject, command, day=None):
    """The title and the line that every page of results begins with. `subject` is a noun phrase that names what was measured;
    `day` is today unless a page is written from the log of an earlier run."""
    return f"# {title}\n\n> {subject}, measured by `{command}` on {day or datetime.date.today().isoformat()}.\n"
