import { Component, type ErrorInfo, type ReactNode } from "react";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { Logo } from "@/components/logo";

interface Props {
  children: ReactNode;
}

interface State {
  error: Error | null;
}

/** A fault of the page itself: the daemon goes on, and loading the page anew brings everything back. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    // eslint-disable-next-line no-console -- the page's own fault belongs where its developer looks
    console.error("The page failed", error, info.componentStack);
  }

  override render(): ReactNode {
    if (this.state.error === null) {
      return this.props.children;
    }
    return (
      <main className="flex h-full items-center justify-center bg-bg1 p-7">
        <EmptyState
          icon={<Logo size={56} outline />}
          title="This page stopped"
          actions={
            <Button variant="primary" onClick={() => { window.location.reload(); }}>
              Load it anew
            </Button>
          }
        >
          Runs go on in the daemon and everything is kept there. The page said:{" "}
          <code className="text-code break-words">{this.state.error.message}</code>
        </EmptyState>
      </main>
    );
  }
}
