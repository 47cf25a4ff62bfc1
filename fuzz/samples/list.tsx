import React, { useState } from "react";
export const List = <T extends { id: string }>({ items, onPick = () => {} }: Props<T>): JSX.Element | null => {
  const [open, setOpen] = useState<boolean>(false);
  if (!items?.length) return null;
  return (
    <>
      <Menu.Item {...items[0]} aria-label="a &amp; b" onClick={(event) => { event.preventDefault(); setOpen((it) => !it); }} />
      {/* the list */}
      <ul className={`list ${open ? "open" : ""}`}>
        {items.map((it) => (it.id ? <li key={it.id}>{it.id} {"{"} text > here</li> : <br />))}
      </ul>
      <style jsx>{`p { color: red; }`}</style>
    </>
  );
};
