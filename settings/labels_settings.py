"""Settings of labels and grades."""

from typing import Annotated, Literal

from .setting import DeclaredSettings, Setting


class GradesSettings(DeclaredSettings):
    """Meaning of grades in labels."""

    label_scale: Annotated[
        tuple[float, float] | None,
        Setting(
            "Scale of the labels: 1:5, or 5:1 if 1 is best.", metavar="WORST:BEST", form="scale of grades"
        ),
    ] = None
    label_pass_at: Annotated[
        float | None,
        Setting(
            "Worst label that passes, as it is written: 4.  [default: fractions are kept]",
            metavar="GRADE",
            form="grade",
        ),
    ] = None
    map_label: Annotated[
        tuple[str, ...],
        Setting(
            "Score of a word in labels: grounded=1, timeout= for no grade; may be given several times. Pass, fail, yes, no, good, bad, ok, up and down are known.",
            metavar="WORD=SCORE",
            form="grade",
        ),
    ] = ()
    all_alike: Annotated[
        bool,
        Setting(
            "Accept words of --map-label that make all labels, or all scores of a judge, pass or all fail.",
            form="grade",
            harmless=True,
        ),
    ] = False


class LabelChoiceSettings(DeclaredSettings):
    """Declaration of how outputs were chosen for labels."""

    labels_chosen_by: Annotated[
        Literal["random", "system", "score", "label", "elsewhere"] | None,
        Setting(
            "How items were chosen for labels: at random, of all or of each system; by the judge's score (stratified_ppi holds), by their true class (rogan_gladen holds), or by true class from elsewhere. Undeclared labels correct no rate that is printed first."
        ),
    ] = None


class HeaderSettings(DeclaredSettings):
    """Header of CSV and TSV."""

    no_header: Annotated[
        bool,
        Setting(
            "The first row of CSV is data: columns are called column_1, column_2.",
            form="header",
            harmless=True,
        ),
    ] = False
    header: Annotated[
        bool,
        Setting("The first row of CSV is a header, though it looks like data.", form="header", harmless=True),
    ] = False
    column_names: Annotated[
        str | None,
        Setting(
            "Names of the columns of CSV without a header; with --header, in place of its names.",
            option="--columns",
            metavar="NAME,NAME",
            form="header",
            harmless=True,
        ),
    ] = None


class LabelColumnsSettings(DeclaredSettings):
    """Columns of a table of labels."""

    map: Annotated[
        tuple[str, ...],
        Setting(
            "Name a column of the --labels table that is not recognised: id=ticket, label=verdict.",
            metavar="NAME=COLUMN",
            form="grade",
            harmless=True,
        ),
    ] = ()


class ScoreScalesSettings(DeclaredSettings):
    """Scales of judges' scores in a file."""

    score_scale: Annotated[
        tuple[tuple[str, tuple[float, float]], ...],
        Setting(
            "Scale of judges' scores in a file: 1:5, or gpt=1:5 for one judge; may be given several times.",
            metavar="[JUDGE=]WORST:BEST",
            form="scale of a judge",
        ),
    ] = ()


class ScoreKindsSettings(DeclaredSettings):
    """Kinds of judges' scores."""

    scores_are: Annotated[
        tuple[tuple[str, Literal["probabilities", "grades"]], ...],
        Setting(
            "What judges' scores are: probabilities that an output passes, or grades; gpt=probabilities for one judge. Judges that ask decision models say it themselves.",
            metavar="[JUDGE=]probabilities|grades",
            form="kind of scores",
            harmless=True,
        ),
    ] = ()
