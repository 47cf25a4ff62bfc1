//! What the SDK asks of a server: what it is, its tools, a call of one.

use std::borrow::Cow;
use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, RequestMetaObject, Resource, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::mpsc;

use crate::{Answer, Call, Server, Tool, Tools};

/// Words about the progress of a call that wait to be told; further ones are dropped.
const PROGRESS_MAX: usize = 16;
/// Methods of which the SDK says that it does not know them where their parameters are at fault.
const METHODS: &[&str] = &["initialize", "server/discover", "ping", "tools/list", "tools/call"];

/// A server over some tools.
pub(crate) struct Handler {
    server: Server,
    tools: Arc<dyn Tools>,
}

/// How far a call is.
struct Progress {
    done: f64,
    of: Option<f64>,
    doing: String,
}

impl Handler {
    pub(crate) fn new(server: Server, tools: Arc<dyn Tools>) -> Self {
        Self { server, tools }
    }

    /// A page of the list. The cursor is the name of the last tool before it, so that a list which changes meanwhile
    /// loses nothing.
    fn page(&self, cursor: Option<&str>) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.list();
        let from = match cursor {
            None => 0,
            Some(name) => match tools.iter().position(|it| it.name == name) {
                Some(at) => at + 1,
                None => {
                    return Err(invalid(format!(
                        "there is no cursor `{name}`; ask for the list from its start"
                    )));
                }
            },
        };
        let rest = tools.get(from..).unwrap_or_default();
        let page = rest.get(..self.server.page_size.max(1)).unwrap_or(rest);
        let mut result = ListToolsResult::with_all_items(page.iter().cloned().map(listed).collect());
        result.next_cursor = page.last().filter(|_| page.len() < rest.len()).map(|it| it.name.to_owned());
        Ok(result)
    }

    async fn run(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        let arguments = request.arguments.unwrap_or_default();
        let client = context.client_info().map(|it| it.name).unwrap_or_default();
        let (sender, mut receiver) = mpsc::channel::<Progress>(PROGRESS_MAX);
        let token = context.meta.get_progress_token();
        let cancelled = context.ct.clone();
        let (tools, called) = (Arc::clone(&self.tools), name.clone());
        let thread = tokio::task::spawn_blocking(move || {
            let progress = |done: f64, of: Option<f64>, doing: &str| {
                // A client that does not take it misses it; the call goes on.
                let _ = sender.try_send(Progress { done, of, doing: doing.to_owned() });
            };
            let cancelled = || cancelled.is_cancelled();
            let call =
                Call { arguments: &arguments, client: &client, progress: &progress, cancelled: &cancelled };
            catch_unwind(AssertUnwindSafe(|| tools.call(&called, &call)))
        });
        let mut thread = pin!(thread);
        let mut last = f64::NEG_INFINITY;
        let ended = loop {
            let progress = tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
                Some(progress) = receiver.recv() => progress,
                ended = &mut thread => break ended,
            };
            // The protocol wants numbers that grow.
            if let Some(token) = token.clone().filter(|_| last < progress.done) {
                last = progress.done;
                let mut told =
                    ProgressNotificationParam::new(token, progress.done).with_message(progress.doing);
                told.total = progress.of;
                // Nobody hears it where the connection is gone.
                let _ = context.peer.notify_progress(told).await;
            }
        };
        match ended {
            Ok(Ok(Some(answer))) => {
                let knows_links =
                    context.protocol_version().is_some_and(|it| ProtocolVersion::V_2025_06_18 <= it);
                Ok(result(answer, knows_links).into())
            }
            Ok(Ok(None)) => Err(invalid(format!("there is no tool `{name}`"))),
            // What a fault said is for us and not for a model; the process has told it on stderr.
            Ok(Err(_)) | Err(_) => {
                Err(ErrorData::internal_error(format!("`{name}` failed by a fault of the server"), None))
            }
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let server = &self.server;
        let mut who = Implementation::new(server.name.clone(), server.version.clone());
        who.title = Some(server.title.clone());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(who)
            .with_instructions(server.instructions.clone())
    }

    fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<InitializeResult, ErrorData>> + Send + '_ {
        let result = if is_stateless(&context.meta) {
            Err(unknown("initialize"))
        } else {
            self.negotiate_initialize(&request)
        };
        if let Ok(result) = &result {
            let mut client = request;
            client.protocol_version = result.protocol_version.clone();
            context.peer.set_peer_info(client);
        }
        ready(result)
    }

    fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let cursor = request.and_then(|it| it.cursor);
        ready(opened(&context).and_then(|()| self.page(cursor.as_deref())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        opened(&context)?;
        self.run(request, context).await
    }

    fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + Send + '_ {
        ready(Err(ErrorData::method_not_found::<CompleteRequestMethod>()))
    }

    fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        let method = request.method;
        let removed = method == "initialize" && is_stateless(&context.meta);
        ready(Err(if METHODS.contains(&method.as_str()) && !removed {
            invalid(format!("the parameters are not what `{method}` takes"))
        } else {
            unknown(&method)
        }))
    }
}

/// A client says which revision it speaks before it asks for anything, once or with each request.
fn opened(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if context.protocol_version().is_some() {
        return Ok(());
    }
    Err(invalid(
        "no protocol version is known: send `initialize` first, or name it in `_meta` of the request",
    ))
}

/// The request itself says that it is of a revision without a handshake.
fn is_stateless(meta: &RequestMetaObject) -> bool {
    meta.protocol_version().is_some_and(|version| !version.has_initialize())
}

fn unknown(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None)
}

fn invalid(message: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

fn listed(tool: Tool) -> rmcp::model::Tool {
    let annotations = rmcp::model::ToolAnnotations::with_title(tool.title)
        .read_only(tool.read_only)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(tool.open_world);
    let mut out = rmcp::model::Tool::new(tool.name, tool.description, tool.input_schema);
    out.title = Some(tool.title.to_owned());
    out.output_schema = tool.output_schema.map(Arc::new);
    out.annotations = Some(annotations);
    out
}

fn result(answer: Answer, knows_links: bool) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    if knows_links {
        let link = |it: crate::Link| ContentBlock::resource_link(Resource::new(it.uri, it.name));
        content.extend(answer.links.into_iter().map(link));
    }
    let mut result =
        if answer.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = answer.structured;
    result
}
