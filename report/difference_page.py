"""Page of two runs: each system's change, then changed cases with both answers."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation.past_runs.compare_runs import Difference
from .document import Columns, Piece
from .page import ResultPage
from .text.difference_screen import difference_screen
from .text.difference_text import difference_document, difference_figure
from .text.number_text import counted


def difference_page(runs: Difference, cases: Sequence[Piece]) -> ResultPage:
    """Return the page of two runs; ``cases`` are the changed cases to show, see `changed_cases`."""
    # The document's figure is left out, since the page has it above its tables.
    tables = [piece for piece in difference_document(runs) if not isinstance(piece, Columns)]
    return ResultPage(
        title=f"{runs.before} and {runs.after}",
        about=f"{counted(runs.outputs, 'output')} in both",
        answer=difference_screen(runs),
        figures=list(difference_figure(runs.systems)),
        sections={"Changed cases": cases, "Every difference": tables},
    )
