// Verdicts on two dumps whose ONNX model is known: each tensor of the target is compared with what the model computes from the
// target's own tensors that flow into it.
//
// The field "own" of a record (ClassifyPairs.h) is then
//
//   wrong        whether the tensor is wrong by itself, that is, not only because of what flows into it
//   different    number of elements that differ from what the model computes, by more than rounding explains
//   max_abs      their largest error
//   tolerance    the largest difference from an expected zero that rounding explains
//   scale, zero_point   of a tensor that was dumped as 8-bit integers: those with which it fits the model best; else null
//   precision    in which the tensor was computed, as far as its numbers show: "fp32", "fp16", "bf16" or "int8"
//   node         name of the model's node that computes the tensor
//
// the field "reproduced_by" the mistake in one node of the model with which the model computes the wrong tensor (Dumps/NodeChanges.h), in
// "words", and the "share" of its wrong elements that this gives; null if no such mistake is known;
// and the status "match" if the tensor is what the model computes, "mismatch" if it is wrong by itself, "inherited" if it is
// computed from a tensor that is wrong by itself and differs from the reference. "own" is null if the tensor was not compared with
// the model: it is an input or a constant, holds no floats, or has another shape or type; the pair is then judged without the model.
#pragma once

#include "verify/Dumps/DumpedNumbers.h"
#include "verify/Tools/ClassifyPairs.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct ModelOptions {
  std::string path;                // empty: there is no model
  std::vector<std::string> inputs; // files with inputs of the model
  std::optional<DumpPrecision> precision;
  // Judges tensors that are wrong by themselves; others are judged as those of two dumps alone.
  const Classifier *classifier = nullptr;
  std::string scales; // file with the scales of the target's integers; empty: they are fitted
};

struct ClassifiedDump {
  Json layers;  // records of all pairs, in the model's order
  Json verdict; // on the whole, decided over all layers (Verdict/AcrossLayers.h); null if no tensor differs
  size_t wrongTensors = 0; // number of tensors that are wrong by themselves
  bool isOverAll = false;  // whether the verdict is decided over all of them
  size_t compared = 0,
         values =
             0; // number of tensors that were compared with the model, and of values that its nodes compute
  // The first tensor of the reference that is wrong by itself; empty if there is none.
  std::string wrongReference = {};
  bool failed =
      false; // whether a tensor is wrong by itself, or a pair that was judged without the model differs
};
Result<ClassifiedDump> classifyWithModel(const DumpPairs &pairs, const ModelOptions &options,
                                         reference::Threads &threads);

} // namespace tilerig::verify
