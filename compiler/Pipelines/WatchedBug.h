// Lets the check of compiler passes (PassWatch) repeat a pass with the bug that was injected into it.
#pragma once

#include "compiler/Inject/Passes/InjectIntoPass.h"
#include "compiler/PassCheck/PassWatch.h"

namespace tilerig::compiler {

// Lets a PassWatch repeat passes with the injector's bug. The injector must outlive the PassWatch.
inline WatchedBug watchedBug(PassBugInjector &injector) {
  return {.prepareAgain = [&injector](mlir::PassManager &manager) { injector.followAgain(manager); },
          .text = [&injector] { return injector.textIfInjectedNow(); }};
}

} // namespace tilerig::compiler
