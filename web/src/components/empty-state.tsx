import type { ReactNode } from "react";

interface EmptyStateProps {
  /** Above the heading: a mark, an icon or the shrine. */
  icon?: ReactNode;
  title: string;
  /** One sentence. */
  children?: ReactNode;
  /** At most two buttons. */
  actions?: ReactNode;
  align?: "start" | "center";
}

/** A heading, one sentence, at most two buttons. */
export function EmptyState({ icon, title, children, actions, align = "center" }: EmptyStateProps) {
  const place = align === "center" ? "items-center text-center" : "items-start";
  return (
    <section className={`flex flex-col ${place}`}>
      {icon === undefined ? null : <div className="mb-3 text-fg3">{icon}</div>}
      <h2 className="heading text-h3 text-balance">{title}</h2>
      {children === undefined ? null : (
        <div className="mt-1.5 max-w-96 text-ui text-pretty text-fg2">{children}</div>
      )}
      {actions === undefined ? null : <div className="mt-4 flex flex-wrap gap-2">{actions}</div>}
    </section>
  );
}
