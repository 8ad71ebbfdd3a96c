"""An audit as one HTML file that opens from the disk, loads nothing and runs nothing: its document, with the curves of its ladders."""

from __future__ import annotations

from markupsafe import Markup

from ..evaluation.audit.results import Audit
from ..records import InputPath, atomic_write
from .audit_words import audit_document
from .document import as_html
from .page import asset, policy

_PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Audit &ndash; fiducial</title>
<style>{style}</style>
</head>
<body>
<header class="page">
<p class="brand">fiducial</p>
<h1>Audit</h1>
</header>
<main>
{document}
</main>
</body>
</html>
""")


def write_audit(path: InputPath, audit: Audit) -> None:
    """Write an audit to a file, which appears only when it is complete.

    Args:
        path: The file.
        audit: What it came to.

    Raises:
        InputError: The file cannot be written.
    """
    style = asset("report.css")
    page = _PAGE.format(policy=policy(style, Markup()), style=style, document=as_html(audit_document(audit)))
    with atomic_write(path) as file:
        file.write(page.encode("utf-8"))
