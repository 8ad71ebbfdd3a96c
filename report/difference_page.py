"""Page of two runs: how far each system changed, then changed cases with both answers."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation.past_runs.compare_runs import TwoRuns
from .document import Columns, Piece
from .page import ResultPage
from .text.difference_screen import difference_screen
from .text.difference_text import difference_document, difference_figure
from .text.number_text import counted


def difference_page(found: TwoRuns, cases: Sequence[Piece]) -> ResultPage:
    """Return the page of two runs, with the changed cases that are shown on it."""
    # The figure stands above.
    numbers = [piece for piece in difference_document(found) if not isinstance(piece, Columns)]
    return ResultPage(
        title=f"{found.before} and {found.after}",
        about=f"{counted(found.outputs, 'output')} in both",
        answer=difference_screen(found),
        figures=list(difference_figure(found.systems)),
        sections={"Changed cases": cases, "Every difference": numbers},
    )
