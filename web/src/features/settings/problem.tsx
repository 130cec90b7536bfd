/** Why something was not done; nothing when it was. */
export function Problem({ words }: { words: string }) {
  return words === "" ? null : (
    <p role="alert" className="text-meta text-pretty text-bad select-text">
      {words}
    </p>
  );
}
