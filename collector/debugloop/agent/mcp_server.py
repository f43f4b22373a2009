"""The loop as an MCP server on stdio: what the `tools` do, in the protocol. The only module that imports mcp.

stdout carries JSON-RPC only: the SDK moves it out of reach of everything else. The server holds nothing that a
session needs, so it may be killed at any moment; it ends when stdin closes.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import anyio
import anyio.to_thread
import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from debugloop import __version__
from debugloop.agent import answers, asking, failures, inputs, method, tools, words

if TYPE_CHECKING:
    from debugloop.settings import Settings

PROGRESS_SECONDS: Final = 5.0
"""How often a wait tells the client how it goes."""
ASK_SECONDS: Final = 10.0
"""How long a wait listens before it asks in the era of the protocol in which a question ends the call."""
_QUESTION: Final = "press"

Context: TypeAlias = ServerRequestContext[Any, Any]
Tool: TypeAlias = Callable[[tools.Bench, Any], dict[str, Any]]

_TOOLS: Final[dict[str, tuple[type[inputs.Which], Tool]]] = {
    "start_debug": (inputs.StartDebug, tools.start_debug),
    "record_hypotheses": (inputs.RecordHypotheses, tools.record_hypotheses),
    "instrument": (inputs.Instrument, tools.instrument),
    "publish_reproduction_steps": (inputs.PublishSteps, tools.publish_reproduction_steps),
    "wait_for_user": (inputs.WaitForUser, tools.wait_for_user),
    "read_evidence": (inputs.ReadEvidence, tools.read_evidence),
    "remove_instrumentation": (inputs.RemoveInstrumentation, tools.remove_instrumentation),
    "finish_debug_cleanup": (inputs.FinishDebug, tools.finish_debug_cleanup),
}
_HINTS: Final = {
    "read_evidence": mcp.ToolAnnotations(destructive_hint=False, open_world_hint=False),
    "remove_instrumentation": mcp.ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False),
    "finish_debug_cleanup": mcp.ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False),
}
_ADDS: Final = mcp.ToolAnnotations(destructive_hint=False, open_world_hint=False)
_RESOURCES: Final[dict[str, tuple[str, str, Tool]]] = {
    "debugloop://steps": ("steps", "The steps that the person is asked to follow.", tools.steps_of),
    "debugloop://ledger": ("ledger", "The hypotheses, their verdicts and the rows cited for them.", tools.ledger_of),
    "debugloop://log": ("log", "The first rows of the current run, quoted.", tools.log_of),
}


def serve(settings: Settings, folder: Path, session_id: str | None = None) -> None:
    """Serve one client on stdin and stdout until stdin closes."""
    anyio.run(_serve, tools.Bench(settings, folder, os.environ, session_id))


async def _serve(bench: tools.Bench) -> None:
    server = server_of(bench)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def server_of(bench: tools.Bench) -> Server[Any]:
    """The server of one bench."""
    return Server(
        "debugloop",
        version=__version__,
        title="debugloop",
        instructions=method.INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=functools.partial(_call_tool, bench),
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_list_resources=_list_resources,
        on_read_resource=functools.partial(_read_resource, bench),
    )


async def _list_tools(_: Context, __: mcp.PaginatedRequestParams | None) -> mcp.ListToolsResult:
    return mcp.ListToolsResult(
        tools=[
            mcp.Tool(
                name=name,
                title=method.DESCRIPTIONS[name][0],
                description=method.DESCRIPTIONS[name][1],
                input_schema=inputs.schema(model),
                output_schema=answers.SCHEMAS[name],
                annotations=_HINTS.get(name, _ADDS),
            )
            for name, (model, _) in _TOOLS.items()
        ]
    )


async def _call_tool(
    bench: tools.Bench, context: Context, params: mcp.CallToolRequestParams
) -> mcp.CallToolResult | mcp.InputRequiredResult:
    if params.name not in _TOOLS:
        known = ", ".join(_TOOLS)
        raise MCPError(code=mcp.INVALID_PARAMS, message=f"There is no tool {params.name[:80]!r}. There are: {known}.")
    model, tool = _TOOLS[params.name]
    try:
        given = inputs.arguments(model, params.arguments or {})
        if isinstance(given, inputs.WaitForUser):
            answer = await _wait_or_ask(bench, context, given, params)
            if isinstance(answer, mcp.InputRequiredResult):
                return answer
        else:
            answer = await _in_thread(tool, bench, given)
    except Exception as error:  # noqa: BLE001 -- every error is a sentence for the agent
        text = answers.as_text(_failure(error))
        return mcp.CallToolResult(content=[mcp.TextContent(text=text)], is_error=True)
    text = answers.as_text(answer)
    return mcp.CallToolResult(content=[mcp.TextContent(text=text)], structured_content=answers.structure(text))


async def _wait_or_ask(
    bench: tools.Bench, context: Context, given: inputs.WaitForUser, params: mcp.CallToolRequestParams
) -> dict[str, Any] | mcp.InputRequiredResult:
    """Wait; and where the client can put a question to the person, who has no panel open, have it put.

    Before 2026-07-28 the question stands while the wait goes on, and is withdrawn when a press comes otherwise. Since
    then a question ends the call, and the client calls again with the answer.
    """
    longest = tools.most_wait(_client(context))
    asks = _can_be_asked(context) and given.max_wait_s != 0
    if not asks or context.session.can_send_request:
        return await _waiting(bench, context, given, longest, asks=asks)
    if params.request_state is not None and params.request_state.isdecimal():
        said = (params.input_responses or {}).get(_QUESTION)
        await _in_thread(tools.answered, bench, given, int(params.request_state), _content(said))
        return await _waiting(bench, context, given, 0, asks=False)
    may_ask = await _in_thread(tools.question, bench, given) is not None
    answer = await _waiting(bench, context, given, min(longest, ASK_SECONDS) if may_ask else longest, asks=False)
    asked = await _in_thread(tools.question, bench, given) if may_ask else None
    if asked is None:
        return answer
    run, message = asked
    request = mcp.ElicitRequest(params=_form(message))
    return mcp.InputRequiredResult(input_requests={_QUESTION: request}, request_state=str(run))


async def _waiting(
    bench: tools.Bench, context: Context, given: inputs.WaitForUser, longest: float, *, asks: bool
) -> dict[str, Any]:
    """Wait in a thread, which ends when the client cancels the call or goes away, and tell how it goes."""
    left = threading.Event()
    wait = functools.partial(tools.wait_for_user, bench, given, longest, left.is_set)
    answer: dict[str, Any] = {}
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_tell, bench, context, given)
        if asks:
            group.start_soon(_ask, bench, context, given)
        try:
            answer = await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)
        except Exception as error:  # noqa: BLE001 -- a group would wrap it
            failure = error
        finally:
            left.set()
            group.cancel_scope.cancel()
    if failure:
        raise failure
    return answer


async def _tell(bench: tools.Bench, context: Context, given: inputs.WaitForUser) -> None:
    """Report progress, from the first moment on. The client sees nothing where it did not ask for it."""
    begun = anyio.current_time()
    while True:
        try:
            message = await _in_thread(tools.listening, bench, given)
            await context.session.report_progress(anyio.current_time() - begun, None, message)
        except Exception:  # noqa: BLE001 -- the wait itself tells what is wrong
            return
        await anyio.sleep(PROGRESS_SECONDS)


async def _ask(bench: tools.Bench, context: Context, given: inputs.WaitForUser) -> None:
    """Put the question while the wait goes on. What comes of it is a press like any other: the wait sees it."""
    try:
        while asked := await _in_thread(tools.question, bench, given):
            run, message = asked
            said = await context.session.elicit_form(message, asking.SCHEMA, context.request_id)
            await _in_thread(tools.answered, bench, given, run, _content(said))
    except Exception:  # noqa: BLE001 -- the wait itself goes on, and tells what is wrong
        return


def _form(message: str) -> mcp.ElicitRequestFormParams:
    return mcp.ElicitRequestFormParams(message=message, requested_schema=asking.SCHEMA)


def _content(said: object) -> dict[str, Any] | None:
    """What the person filled in; None where they refused."""
    return dict(said.content or {}) if isinstance(said, mcp.ElicitResult) and said.action == "accept" else None


def _can_be_asked(context: Context) -> bool:
    known = context.session.client_capabilities
    able = known.elicitation if known else None
    # one that names neither form nor address is of the time when there were forms only
    return able is not None and (able.form is not None or able.url is None)


async def _list_prompts(_: Context, __: mcp.PaginatedRequestParams | None) -> mcp.ListPromptsResult:
    problem = mcp.PromptArgument(name="problem", description="What goes wrong.", required=False)
    return mcp.ListPromptsResult(
        prompts=[
            mcp.Prompt(name="debug", title="Debug mode", description="Find a bug by evidence.", arguments=[problem]),
            mcp.Prompt(name="finish", title="Finish debugging", description="Remove every trace and end the session."),
        ]
    )


async def _get_prompt(_: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
    match params.name:
        case "debug":
            text = method.debug_prompt((params.arguments or {}).get("problem"))
        case "finish":
            text = method.finish_prompt()
        case _:
            raise MCPError(code=mcp.INVALID_PARAMS, message=f"There is no prompt {params.name[:80]!r}.")
    return mcp.GetPromptResult(messages=[mcp.PromptMessage(role="user", content=mcp.TextContent(text=text))])


async def _list_resources(_: Context, __: mcp.PaginatedRequestParams | None) -> mcp.ListResourcesResult:
    return mcp.ListResourcesResult(
        resources=[
            mcp.Resource(uri=uri, name=name, description=description, mime_type="application/json")
            for uri, (name, description, _) in _RESOURCES.items()
        ]
    )


async def _read_resource(
    bench: tools.Bench, _: Context, params: mcp.ReadResourceRequestParams
) -> mcp.ReadResourceResult:
    uri = str(params.uri)
    if uri not in _RESOURCES:
        raise MCPError(code=mcp.INVALID_PARAMS, message=f"There is no resource {uri[:200]!r}.", data={"uri": uri[:200]})
    try:
        answer = await _in_thread(_RESOURCES[uri][2], bench, inputs.Which())
    except Exception as error:  # noqa: BLE001 -- every error is a sentence for the client
        raise MCPError(code=mcp.INTERNAL_ERROR, message=_failure(error)["message"], data={"uri": uri}) from None
    text = mcp.TextResourceContents(uri=params.uri, text=answers.as_text(answer), mime_type="application/json")
    return mcp.ReadResourceResult(contents=[text])


def _failure(error: Exception) -> dict[str, str]:
    code, sentence, _ = failures.told(error)
    return {"error": code, "message": words.for_tools(sentence)}


def _client(context: Context) -> str:
    known = context.session.client_params
    return known.client_info.name if known else ""


def _in_thread(function: Callable[..., Any], *given: object) -> Awaitable[Any]:
    return anyio.to_thread.run_sync(functools.partial(function, *given))
