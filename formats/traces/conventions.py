"""Conventions of traces as data: names of attributes, in order of preference.

OpenInference, OpenTelemetry's GenAI conventions, OpenLLMetry (Traceloop), Langfuse, MLflow, Logfire and Pydantic AI, Google's
ADK and Vercel's AI SDK name the same things differently. A span may have attributes of several conventions.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

SpanKind: TypeAlias = Literal["agent", "llm", "tool", "retriever", "other"]

AttributeForm: TypeAlias = Literal["messages", "indexed", "call"]
"""Form of recorded content.

``messages``: JSON of messages. ``indexed``: attributes numbered below a prefix. ``call``: a request or a reply of a model's API, or a
text.
"""


class AttributeSource(NamedTuple):
    """An attribute that may have some content, and the form of that content."""

    attribute: str
    form: AttributeForm = "call"


KINDS: tuple[tuple[str, dict[str, SpanKind]], ...] = (
    (
        "openinference.span.kind",
        {
            "llm": "llm",
            "tool": "tool",
            "agent": "agent",
            "chain": "agent",
            "retriever": "retriever",
            "reranker": "retriever",
        },
    ),
    (
        "langfuse.observation.type",
        {"generation": "llm", "tool": "tool", "agent": "agent", "chain": "agent", "retriever": "retriever"},
    ),
    (
        "mlflow.spanType",
        {
            "llm": "llm",
            "chat_model": "llm",
            "tool": "tool",
            "agent": "agent",
            "chain": "agent",
            "workflow": "agent",
            "retriever": "retriever",
        },
    ),
    (
        "gen_ai.operation.name",
        {
            "chat": "llm",
            "generate_content": "llm",
            "text_completion": "llm",
            "completion": "llm",
            "execute_tool": "tool",
            "invoke_agent": "agent",
            "create_agent": "agent",
            "invoke_workflow": "agent",
            "plan": "agent",
            "execute_event_loop_cycle": "agent",
            "retrieval": "retriever",
        },
    ),
    ("traceloop.span.kind", {"workflow": "agent", "agent": "agent", "tool": "tool"}),
    ("llm.request.type", {"chat": "llm", "completion": "llm"}),
    (
        "ai.operationId",
        {
            "ai.generateText": "agent",
            "ai.streamText": "agent",
            "ai.generateObject": "agent",
            "ai.streamObject": "agent",
            "ai.generateText.doGenerate": "llm",
            "ai.streamText.doStream": "llm",
            "ai.generateObject.doGenerate": "llm",
            "ai.streamObject.doStream": "llm",
            "ai.toolCall": "tool",
        },
    ),
)
"""Attributes that tell the kind of a span, each with the kinds by its values, which are in lower case except ``ai.operationId``."""

MODEL_TELLS = ("gen_ai.request.model", "gen_ai.prompt", "gen_ai.prompt.0.role", "gen_ai.completion", "gen_ai.input.messages", "request_data")  # fmt: skip
"""Attributes of a call of a model, by which it is recognised if no attribute tells the kind."""

NO_MODEL = frozenset({"embeddings", "embedding", "rerank"})
"""Operations of models that are no chat."""

MODEL_INPUTS = (
    AttributeSource("gen_ai.input.messages", "messages"),
    AttributeSource("llm.input_messages", "indexed"),
    AttributeSource("gen_ai.prompt", "indexed"),
    AttributeSource("gen_ai.prompt", "messages"),
    AttributeSource("mlflow.chat.messages", "messages"),
    AttributeSource("ai.prompt.messages", "messages"),
    AttributeSource("ai.prompt"),
    AttributeSource("mlflow.spanInputs"),
    AttributeSource("langfuse.observation.input"),
    AttributeSource("gcp.vertex.agent.llm_request"),
    AttributeSource("request_data"),
    AttributeSource("input.value"),
    AttributeSource("traceloop.entity.input"),
)
MODEL_OUTPUTS = (
    AttributeSource("gen_ai.output.messages", "messages"),
    AttributeSource("llm.output_messages", "indexed"),
    AttributeSource("gen_ai.completion", "indexed"),
    AttributeSource("gen_ai.completion", "messages"),
    AttributeSource("mlflow.spanOutputs"),
    AttributeSource("langfuse.observation.output"),
    AttributeSource("gcp.vertex.agent.llm_response"),
    AttributeSource("response_data"),
    AttributeSource("output.value"),
    AttributeSource("traceloop.entity.output"),
)
SPLIT_ANSWER = ("ai.response.text", "ai.response.toolCalls")
"""Attributes with the text of a reply, and with its calls."""

RUN_MESSAGES, RUN_ANSWERS = MODEL_INPUTS[:4], MODEL_OUTPUTS[:4]
"""Attributes with the messages of an agent or a chain."""

RUN_CONVERSATIONS = (AttributeSource("pydantic_ai.all_messages", "messages"),)
"""Attributes with all messages of a run, including the answer."""

RUN_INPUTS = (
    "mlflow.spanInputs",
    "langfuse.observation.input",
    "langfuse.trace.input",
    "input.value",
    "traceloop.entity.input",
    "ai.prompt",
)
"""Attributes with the input of an agent or a chain."""

QUESTIONS = ("task", "question", "query", "input", "prompt", "user_prompt", "user_message", "user_input", "message", "new_message", "msg", "text", "content")  # fmt: skip
"""Names of a run's argument that may be the user's text."""

RUN_OUTPUTS = (
    "mlflow.spanOutputs",
    "langfuse.observation.output",
    "langfuse.trace.output",
    "final_result",
    "output.value",
    "traceloop.entity.output",
    "ai.response.text",
)
TOOL_NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
TOOL_IDS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id")
TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "gcp.vertex.agent.tool_call_args",
    "ai.toolCall.args",
    "mlflow.spanInputs",
    "langfuse.observation.input",
    "input.value",
    "traceloop.entity.input",
    "tool.parameters",
)
TOOL_RESULTS = (
    "gen_ai.tool.call.result",
    "tool_response",
    "gcp.vertex.agent.tool_response",
    "ai.toolCall.result",
    "mlflow.spanOutputs",
    "langfuse.observation.output",
    "output.value",
    "traceloop.entity.output",
)
AGENT_NAMES = ("agent.name", "gen_ai.agent.name")
ASKED_MODELS = ("gen_ai.request.model", "llm.request.model_name", "ai.model.id")
"""Attributes with the model that was asked. A failed call names no other."""

INVOCATIONS = ("llm.invocation_parameters", "request_data", "input.value", "langfuse.observation.input", "mlflow.spanInputs", "gcp.vertex.agent.llm_request")  # fmt: skip
"""Attributes with a request as JSON, which may name its model and its tools."""

ANSWERING_MODELS = ("llm.model_name", "gen_ai.response.model", "langfuse.observation.model.name", "mlflow.llm.model", "mlflow.chat.model")  # fmt: skip
SESSIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "mlflow.trace.session",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "gcp.vertex.agent.session_id",
    "ai.telemetry.metadata.sessionId",
)
TOOL_DEFINITIONS = (
    AttributeSource("gen_ai.tool.definitions", "messages"),
    AttributeSource("llm.tools", "indexed"),
    AttributeSource("llm.request.functions", "indexed"),
    AttributeSource("mlflow.chat.tools", "messages"),
    AttributeSource("ai.prompt.tools", "messages"),
)
NO_TOOLS = frozenset({"(merged tools)"})
"""Names of tools' spans that summarise several calls."""

FINAL_ANSWER = ("final_answer", "answer")
"""Name of the call with which smolagents ends a run, and of the argument that is the answer."""

CREW_TASKS_GIVEN, CREW_QUESTION = AttributeSource("crew_tasks", "messages"), "description"
"""Attribute with the tasks of a crew of CrewAI, and the field that describes a task."""

CREW_TEXT, CREW_TASKS = "raw", "tasks_output"
"""Fields of a crew's output: its text, and its tasks."""

FRAMEWORKS_WORDS = ("Observation", "Execution logs", "Tool result")
"""Beginnings of messages of the user that an agent's program wrote, with results of calls."""

MESSAGE_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
"""Events of one message each, with the role of that message."""

_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_OPENTELEMETRY = f"{_CAPTURE}=true, or =SPAN_ONLY in newer versions,"
_TRACELOOP = "TRACELOOP_TRACE_CONTENT=true"
_OPENINFERENCE = "OPENINFERENCE_HIDE_INPUTS=false and OPENINFERENCE_HIDE_OUTPUTS=false"
_AGENT_FRAMEWORK = "ENABLE_SENSITIVE_DATA=true"

SWITCHES = (
    ("openinference.", _OPENINFERENCE),
    ("traceloop", _TRACELOOP),
    ("pydantic-ai", "InstrumentationSettings(include_content=True)"),
    (
        "gcp.vertex.agent",
        f"OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and {_CAPTURE}=SPAN_ONLY",
    ),
    ("autogen", "up another instrumentation, such as OpenInference's,"),
    ("agent_framework", _AGENT_FRAMEWORK),
    ("microsoft.agent_framework", _AGENT_FRAMEWORK),
    ("semantic_kernel", "SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true"),
    ("azure.", "AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED=true"),
    ("ai.operationId", "recordInputs: true and recordOutputs: true"),
    ("opentelemetry.instrumentation.openai_v2", _OPENTELEMETRY),
    ("opentelemetry.instrumentation.google_genai", _OPENTELEMETRY),
    ("opentelemetry.instrumentation.vertexai", _OPENTELEMETRY),
    ("opentelemetry.util.genai", _OPENTELEMETRY),
    ("opentelemetry.instrumentation.", _TRACELOOP),
    ("gen_ai.", _OPENTELEMETRY),
)
"""Settings that switch on the recording of content, by the beginning of an instrumentation, a provider or an attribute."""
