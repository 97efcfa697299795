// Connects the check of passes with a bug that is injected into one of them.
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
