interface FoldedProps {
  /** How much is not shown, as "49,600 lines". */
  rest: string;
  onOpen: () => void;
}

/** Where a very long text is cut for the eye: copying gives all of it. */
export function Folded({ rest, onOpen }: FoldedProps) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="self-start rounded-chip bg-bg3 px-2 py-0.5 font-sans text-meta text-fg2 hover-fade hover:text-fg1"
    >
      Show {rest} more
    </button>
  );
}
