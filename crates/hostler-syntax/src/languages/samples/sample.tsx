export function View({ name = "x" }: Props) {
  if (!name) {
    return null;
  }
  return <p title="hello">{names.map((it) => (it ? <b>{it}</b> : null))}</p>;
}
