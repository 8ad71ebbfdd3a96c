import fiducial as fd


@fd.judge_function("polite")
def polite(case: fd.Case, output: fd.Output) -> tuple[float, str]:
    kind_words = [word for word in ("please", "thank", "sorry") if word in (output.text or "").lower()]
    return float(bool(kind_words)), f"kind words: {', '.join(kind_words) or 'none'}"
