from __future__ import annotations

from each_row import each_row

from fiducial.evaluation.judging.tasks import split_spec


@each_row(
    ("spec", "judge", "model"),
    [
        ("rubric", "rubric", None),
        ("rubric/direct", "rubric/direct", None),
        ("rubric@gpt", "rubric", "gpt"),
        ("rubric/direct@org/model@2", "rubric/direct", "org/model@2"),
        ("dir@home/mine.prompty", "dir@home/mine.prompty", None),
        ("dir@home/mine.prompty@gpt", "dir@home/mine.prompty", "gpt"),
    ],
)
def test_a_model_may_follow_a_judge(spec: str, judge: str, model: str | None):
    assert split_spec(spec) == (judge, model)
