//! Modules of distributions that half the world uses.
//!
//! Where a project says nothing about what it needs and has no environment of its own, one of these that is missing
//! tells of the machine and not of the code. A name that nobody knows is told: agents make them up.

/// Top-level names, in order.
const MODULES: &str = "\
    absl aiofiles aiohttp airflow alembic altair anthropic anyio apscheduler arrow asgiref asyncpg attr \
    attrs babel bcrypt billiard bleach bokeh boto3 botocore bottle bs4 cachetools celery certifi cffi \
    channels chardet charset_normalizer chromadb click cloudpickle colorama colorlog confluent_kafka \
    coverage cryptography cv2 cycler cython dash dask datasets dateutil datadog decorator django dns \
    docker docutils dotenv duckdb elasticsearch email_validator environ faiss faker fastapi filelock \
    fire flask freezegun fsspec gensim gevent git google gradio graphene greenlet grpc gunicorn h11 h5py \
    httpcore httpx huggingface_hub hypercorn hypothesis idna imageio importlib_metadata IPython \
    ipykernel isodate itsdangerous jax jinja2 jmespath joblib jose jsonschema jwt kafka keras kombu \
    kubernetes langchain langgraph lightgbm litellm llvmlite loguru lxml mako markdown markupsafe \
    marshmallow matplotlib minio mistune mlflow mock more_itertools moto msgpack multidict mypy mysql \
    MySQLdb neo4j networkx nltk nox numba numpy oauthlib odf openai openpyxl opentelemetry orjson \
    packaging pandas paramiko passlib pathspec peewee pendulum phonenumbers PIL pika pip pkg_resources \
    platformdirs playwright plotly pluggy polars portalocker prefect prometheus_client prompt_toolkit \
    psutil psycopg psycopg2 pyarrow pyasn1 pycparser pydantic pydantic_settings pygame pygments pymongo \
    pymysql pynvml pyodbc pyparsing pypdf PyQt5 PyQt6 PySide6 pyspark pytest pytz pywintypes \
    qdrant_client ray redis regex reportlab requests requests_mock responses rest_framework rich rq \
    ruamel sanic scipy scrapy seaborn selenium sentence_transformers sentry_sdk serial setuptools \
    shapely simplejson six skimage sklearn slack_sdk smbprotocol sniffio snowflake socks \
    sortedcontainers spacy sphinx sqlalchemy sqlmodel starlette statsmodels streamlit stripe structlog \
    sympy tabulate telegram tenacity tensorflow termcolor testcontainers textual tiktoken tokenizers \
    toml tomli tomlkit toolz torch torchvision tornado tqdm transformers trio twisted typeguard typer \
    typing_extensions tzlocal ujson urllib3 uvicorn uvloop validators virtualenv watchdog watchfiles \
    websocket websockets werkzeug wheel wrapt wtforms wx xgboost xlrd xlsxwriter xmltodict yaml yarl zmq \
    zstandard";

/// Whether `module` is one of them.
pub(super) fn is_known(module: &str) -> bool {
    MODULES.split(' ').any(|it| it == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole() {
        for (module, expected) in
            [("absl", true), ("yaml", true), ("zstandard", true), ("ya", false), ("", false)]
        {
            assert_eq!(is_known(module), expected, "{module}");
        }
        assert!(MODULES.split(' ').all(|it| !it.is_empty()));
    }
}
