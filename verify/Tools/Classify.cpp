// `tilerig classify`: names the bug behind the differences of two sets of tensors.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Program/Reader.h"
#include "verify/Tools/ClassifyPairs.h"
#include "verify/Tools/ClassifyReport.h"
#include "verify/Tools/ClassifyWithModel.h"
#include "verify/Tools/LimitOptions.h"
#include "verify/Verdict/AcrossLayers.h"
#include "verify/Verdict/Shipped.h"

#include <fmt/core.h>
#include <iostream>
#include <thread>

namespace tilerig::verify {
namespace {

struct Options {
  std::string reference, target, program, map, classifier;
  ModelOptions model;
  LimitOptions limits;
  bool exact = false, acrossTypes = false, all = false;
  unsigned threads = 0;
};

void addOptions(CommandOptions &line, Options &options) {
  line.addOption("--reference", options.reference,
                 "expected tensors: .npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder of them")
      .required();
  line.addOption("--target", options.target, "tensors to judge: files as of --reference").required();
  line.addOption("--program", options.program,
                 "program that computed the target (.trb); it says which layer a tensor belongs to, and "
                 "where the parts of two tiles meet");
  line.addOption(
      "--model", options.model.path,
      "ONNX model whose tensors were dumped; each of the target's tensors is compared with what the model computes from those "
      "that flow into it, so that a layer that is wrong by itself is told from one that inherited its error");
  line.addOption(
          "-i,--input", options.model.inputs,
          "with --model: inputs of the model that neither reference nor target contains (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder)")
      .oneValueEach();
  addChoice<DumpPrecision>(
      line, "--precision", options.model.precision,
      {{"fp32", DumpPrecision::fp32},
       {"fp16", DumpPrecision::fp16},
       {"bf16", DumpPrecision::bf16},
       {"int8", DumpPrecision::eightBits}},
      "with --model: precision in which floats of the target were computed (default: the lowest one of its tensors' types or, if all are float32, the lowest one that represents a tensor)");
  line.addOption(
      "--scales", options.model.scales,
      "with --model: file with the scales and zero points of the target's integers (.json) (default: those that fit the model best)");
  line.addOption("--map", options.map, "file that pairs tensors whose names differ (.json)");
  options.limits.declare(line);
  line.addFlag("--exact", options.exact, "require equality: every difference is an error");
  line.addFlag("--across-types", options.acrossTypes,
               "compare values of different types, such as fp16 with fp32");
  line.addFlag("--all", options.all, "print a row for every tensor, not only for wrong ones");
  line.addOption(
      "--classifier", options.classifier,
      "classifier to use instead of the built-in one (.onnx, or a folder with one model per class)");
  line.addOption("--threads", options.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
}

Result<DumpPairs> prepare(const Options &options, const Classifier &classifier) {
  TILERIG_TRY(TensorSource reference, TensorSource::open(options.reference));
  TILERIG_TRY(TensorSource target, TensorSource::open(options.target));
  std::optional<Program> program;
  if (!options.program.empty()) {
    TILERIG_TRY(Program read, readProgram(options.program));
    program.emplace(std::move(read));
  }
  std::optional<TensorNameMap> map;
  if (!options.map.empty()) {
    TILERIG_TRY(map, readMap(options.map));
  }
  TILERIG_TRY(Matching matching,
              matchTensors(reference, target, program ? &*program : nullptr, map ? &*map : nullptr));
  CompareOptions compare;
  compare.limits = options.limits.limits();
  compare.exact = options.exact;
  compare.acrossTypes = options.acrossTypes;
  compare.threads = options.threads ? options.threads : std::thread::hardware_concurrency();
  return DumpPairs{std::move(reference), std::move(target), std::move(matching), compare, classifier};
}

std::string jsonOf(const ClassifiedDump &classified) {
  Json document = {{"verdict", classified.verdict}, {"layers", classified.layers}};
  if (!classified.wrongReference.empty())
    document["wrong_reference"] = classified.wrongReference;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string textOf(const ClassifiedDump &classified, const Options &options) {
  std::string text = classifyText(classified.layers, options.all);
  if (options.model.path.empty())
    return text;
  if (classified.isOverAll)
    text += fmt::format("all {} tensors that are wrong by themselves: {}\n", classified.wrongTensors,
                        verdictLine(classified.verdict));
  text += fmt::format("compared with the model: {} tensors, of {} values that it computes\n",
                      classified.compared, classified.values);
  if (!classified.wrongReference.empty())
    text += fmt::format(
        "warning: the model does not compute the reference's '{}' from the reference's own tensors: is it another model, "
        "are its inputs others, or are --reference and --target exchanged?\n",
        printable(classified.wrongReference));
  return text;
}

Result<ExitCode> classify(const Options &options, const CommandOptions &line, bool json) {
  const bool hasNoModel = options.model.path.empty();
  TILERIG_CHECK_OK(refuseIdle(
      line, {{"--input", hasNoModel, "only a model has inputs", "add --model or leave this option out"},
             {"--precision", hasNoModel, "it only decides what rounding explains if the model is known",
              "add --model or leave this option out"},
             {"--scales", hasNoModel, "without a model, integers are compared with integers",
              "add --model or leave this option out"}}));
  reference::Threads threads(options.threads);
  TILERIG_TRY(const Classifier classifier, openClassifier(options.classifier, threads));
  TILERIG_TRY(const DumpPairs pairs, prepare(options, classifier));
  ClassifiedDump classified{Json::array(), {}};
  if (!options.model.path.empty()) {
    TILERIG_TRY(const Classifier ofDumps,
                openClassifier(options.classifier, threads, EvidenceOf::dumpsWithModel));
    ModelOptions model = options.model;
    model.classifier = &ofDumps;
    TILERIG_TRY(classified, classifyWithModel(pairs, model, threads));
  } else {
    Progress progress("classify", pairs.matching.matches.size());
    for (const TensorMatch &match : pairs.matching.matches) {
      TILERIG_TRY(Json layer, pairs.classify(match));
      classified.layers.push_back(std::move(layer));
      progress.advance();
    }
    classified.verdict = headlineOf(classified.layers);
    classified.failed = !classified.verdict.is_null();
  }
  std::cout << (json ? jsonOf(classified) : textOf(classified, options));
  return classified.failed ? ExitCode::mismatch : ExitCode::done;
}

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("classify"),
                   "tilerig classify --reference r.npz --target t.npz\n"
                   "tilerig classify --reference r.npz --target t.npz --model m.onnx\n"
                   "tilerig classify --reference r.npz --target t.npz --program m.trb --exact\n"
                   "tilerig classify --reference fp32.npz --target fp16.npz --across-types --json");
  verify::Options options;
  verify::addOptions(line.options(), options);
  return line.run(argc, argv, [&] { return verify::classify(options, line.options(), line.json()); });
}
