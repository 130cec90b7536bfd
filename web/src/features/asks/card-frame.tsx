import type { ComponentProps, ReactNode } from "react";
import { Kbd } from "@/components/kbd";
import { Mark } from "@/components/mark";
import { useAge } from "@/hooks/use-age";

interface CardFrameProps extends Omit<ComponentProps<"section">, "title"> {
  label: string;
  describedBy?: string;
  title: string;
  where?: string;
  place: string | null;
  /** When it was asked, RFC 3339. */
  since: string;
  children: ReactNode;
}

/** The card that awaits the person, docked over the composer. */
export function CardFrame({ label, describedBy, title, where, place, since, children, ...rest }: CardFrameProps) {
  const age = useAge(since);
  return (
    <section
      aria-label={label}
      aria-describedby={describedBy}
      tabIndex={-1}
      data-needs-you
      className="flex animate-rise flex-col gap-2.5 rounded-card border border-ember-line bg-bg2 p-3.5 shadow-2"
      {...rest}
    >
      <header className="flex items-baseline gap-2">
        <Mark kind="needs-you" className="self-center" />
        <h2 className="shrink-0 text-ui font-semibold">{title}</h2>
        {where ? (
          <bdi dir="ltr" title={where} className="min-w-0 truncate text-ui text-fg3">
            {where}
          </bdi>
        ) : null}
        <span className="ms-auto flex shrink-0 items-center gap-2 text-meta text-fg3 tabular">
          {place === null ? null : <span>{place}</span>}
          asked {age}
          <Kbd keys="Ctrl J" className="small:hidden" />
        </span>
      </header>
      {children}
    </section>
  );
}
