// A bug that was injected into a pass.
#pragma once

#include "isa/Bugs/Draw.h"

namespace tilerig::compiler {

struct InjectedPassBug {
  InjectedBug bug; // bug.layer names the ONNX node whose rewrite has the bug
  std::string pass;
};

} // namespace tilerig::compiler
