// If a bug was injected into a pass, lets the check of compiler passes (PassWatch) repeat the pass with this
// bug.
#pragma once

#include "compiler/Inject/Passes/InjectIntoPass.h"
#include "compiler/PassCheck/PassWatch.h"

namespace tilerig::compiler {

// Lets a PassWatch repeat passes with the bug that the injector has injected. The injector must outlive the
// PassWatch.
inline WatchedBug watchedBug(PassBugInjector &injector) {
  return {.prepareAgain = [&injector](mlir::PassManager &manager) { injector.followAgain(manager); },
          .text = [&injector] { return injector.textIfInjectedNow(); }};
}

} // namespace tilerig::compiler
