// The layers of a model one after another, each with the machine for itself: what each takes alone
// (compiler/Codegen/SeparateLayers.h).
#pragma once

#include "isa/Program/Program.h"
#include "isa/Support/Error.h"

#include <vector>

namespace tilerig::verify {

struct CompiledModel;
struct CompileOptions;

struct LayersAlone {
  Program program;
  std::vector<uint32_t> stageLayers; // by stage: the layer that it is of
};

// Of a model that was compiled with these options, with its works kept.
Result<LayersAlone> layersAlone(const CompiledModel &model, const CompileOptions &options);

} // namespace tilerig::verify
