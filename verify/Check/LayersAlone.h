// A program that runs the layers of a model one after another, each with the whole machine to itself, to
// measure how many cycles each layer takes alone (compiler/Tile/Emit/SeparateLayers.h).
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Program/Program.h"

#include <vector>

namespace tilerig::verify {

struct CompiledModel;
struct CompileOptions;

struct LayersAlone {
  Program program;
  // the layer that each stage (part of the program that runs alone) computes
  std::vector<uint32_t> stageLayers;
};

// Generates the program that runs each layer alone, for a compiled model. The model must still have its
// device operations, from which programs are generated (CompileOptions::keepsOps).
Result<LayersAlone> layersAlone(const CompiledModel &model, const CompileOptions &options);

} // namespace tilerig::verify
