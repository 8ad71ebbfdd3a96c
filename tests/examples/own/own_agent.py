import fiducial as fd


@fd.agent("echo")
def echo(case: fd.Case) -> str:
    return str(case.messages[-1])
