import { useLayoutEffect, useRef } from "react";
import { composerIntent } from "./keys";

interface TextFieldProps {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  onSend: () => void;
  onQueue: () => void;
  onNextMode: () => void;
  /** Files were pasted where no text was. */
  onFiles: (files: File[]) => void;
}

const SIZES_ITSELF = "fieldSizing" in document.documentElement.style;

/** The text, one to twelve lines high. */
export function TextField({ value, placeholder, onChange, onSend, onQueue, onNextMode, onFiles }: TextFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (!SIZES_ITSELF && field.current !== null) {
      field.current.style.height = "auto";
      field.current.style.height = `${field.current.scrollHeight}px`;
    }
  }, [value]);
  return (
    <textarea
      ref={field}
      data-composer
      dir="auto"
      rows={1}
      value={value}
      aria-label="Message to the agent"
      placeholder={placeholder}
      onChange={(event) => { onChange(event.target.value); }}
      onPaste={(event) => {
        const files = [...event.clipboardData.files];
        if (files.length > 0 && !event.clipboardData.types.includes("text/plain")) {
          event.preventDefault();
          onFiles(files);
        }
      }}
      onKeyDown={(event) => {
        const intent = composerIntent(event);
        if (intent !== null) {
          event.preventDefault();
          ({ send: onSend, queue: onQueue, "next-mode": onNextMode })[intent]();
        }
      }}
      className="field-sizing-content max-h-66 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-compose outline-none"
    />
  );
}
