import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { Toaster } from "@/components/toaster";
import { TooltipProvider } from "@/components/tooltip";
import { SignedOut } from "@/features/status/signed-out";
import { ApiError } from "@/lib/api-client";
import { signIn, startAuth, useAuth } from "@/lib/auth";
import { startFrame } from "@/lib/frame-state";
import { hearHub, isFramed, tellHub } from "@/lib/hub-link";
import { ErrorBoundary } from "./error-boundary";
import { KeysDialog } from "./keys-dialog";
import { LiveRegions } from "./live-regions";
import { WorkspacePage } from "./workspace-page";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // An answer that is a refusal stays one; only a missing answer is worth another try.
      retry: (count, error) => error instanceof ApiError && error.status === 0 && count < 3,
      refetchOnWindowFocus: true,
    },
  },
});

function askHub(): void {
  tellHub({ type: "ticket.wanted" });
}

/** Starts what lives as long as the page, in the order the parts need each other. */
function usePage(): void {
  useEffect(() => {
    const stops = [
      hearHub((message) => {
        if (message.type === "ticket") {
          void signIn(message.ticket);
        }
      }),
      startFrame(),
      useAuth.subscribe(({ status }) => {
        if (status === "out") {
          askHub();
        }
      }),
      startAuth(),
    ];
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }, []);
}

function Gate() {
  const { status, detail } = useAuth();
  if (status === "checking") {
    return null;
  }
  if (status === "in") {
    return <WorkspacePage />;
  }
  return (
    <main className="flex h-full items-center justify-center bg-bg1 p-7">
      <SignedOut framed={isFramed} unreachable={status === "unreachable"} detail={detail} onAskHub={askHub} />
    </main>
  );
}

/** The page of one workspace. */
export function App() {
  usePage();
  return (
    <ErrorBoundary>
      <QueryClientProvider client={client}>
        <TooltipProvider>
          <Gate />
          <KeysDialog />
          <Toaster />
          <LiveRegions />
        </TooltipProvider>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
