#include "verify/Records/Elements.h"

#include "verify/Metrics/Walk.h"
#include "verify/Records/Csv.h"

#include <fmt/format.h>

namespace tilerig::verify {

namespace {

// Appends an element to a line of text, with as many digits as its type needs.
void appendValue(const TensorPair &pair, bool ofTarget, size_t index, double widened, std::string &text) {
  const DType type = ofTarget ? pair.targetType : pair.referenceType;
  const std::byte *data = ofTarget ? pair.target : pair.reference;
  dispatch(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>)
      fmt::format_to(std::back_inserter(text), "{}", int(widened));
    else if constexpr (std::is_arithmetic_v<T>)
      fmt::format_to(std::back_inserter(text), "{}", reinterpret_cast<const T *>(data)[index]);
    else
      fmt::format_to(std::back_inserter(text), "{}", static_cast<float>(widened));
  });
}

double shownOom(double oom, bool logarithmic) { return logarithmic ? std::log10(oom) : oom; }

} // namespace

Result<ElementsFile> ElementsFile::create(const std::string &path, bool logarithmic) {
  ElementsFile elements;
  elements.logarithmic = logarithmic;
  if (path.ends_with(".csv")) {
    TILERIG_TRY(OutputFile file, OutputFile::create(path));
    TILERIG_CHECK_OK(file.write("tensor,index,reference,target,oom,rel,discarded,passed,failed\n"));
    elements.csv.emplace(std::move(file));
  } else if (path.ends_with(".npz")) {
    TILERIG_TRY(NpzWriter writer, NpzWriter::create(path));
    elements.npz.emplace(std::move(writer));
  } else {
    return usageError("--elements " + path, "the name of the element file must end in .csv or .npz");
  }
  return elements;
}

Status ElementsFile::add(const std::string &name, const TensorStream &reference, const TensorStream &target,
                         const Comparison &comparison) {
  return csv ? addRows(name, reference, target, comparison) : addColumns(name, reference, target, comparison);
}

Status ElementsFile::addRows(const std::string &name, const TensorStream &reference,
                             const TensorStream &target, const Comparison &comparison) {
  constexpr size_t enough = 1 << 16;
  const std::string label = inCsv(name);
  std::string text;
  Status status = success();
  const auto addRow = [&](const PairChunk &chunk, size_t place, double r, double t, const Judgement &judged) {
    fmt::format_to(std::back_inserter(text), "{},{},", label, chunk.begin + place);
    appendValue(chunk.pair, false, place, r, text);
    text += ',';
    appendValue(chunk.pair, true, place, t, text);
    fmt::format_to(std::back_inserter(text), ",{},{}", shownOom(judged.oom, logarithmic), judged.relative);
    for (Subset subset : {Subset::discarded, Subset::passed, Subset::failed}) {
      text += ',';
      if (subset == judged.subset)
        appendValue(chunk.pair, true, place, t, text);
    }
    text += '\n';
    if (text.size() >= enough && status) {
      status = csv->write(text);
      text.clear();
    }
  };
  TILERIG_CHECK_OK(walkChunks(reference, target, comparison, addRow));
  return status ? csv->write(text) : status;
}

Status ElementsFile::addColumns(const std::string &name, const TensorStream &reference,
                                const TensorStream &target, const Comparison &comparison) {
  auto addColumn = [&]<class T>(const char *column, T, const auto &valueOf) -> Status {
    TILERIG_TRY(Tensor values, Tensor::make(dtypeOf<T>, {static_cast<int64_t>(comparison.elements)}));
    T *out = values.mutableAs<T>().data();
    TILERIG_CHECK_OK(walkElements(reference, target, comparison,
                                  [&](size_t index, double, double, const Judgement &judged) {
                                    out[index] = static_cast<T>(valueOf(index, judged));
                                  }));
    return npz->add(name + "/" + column, values);
  };
  auto inSubset = [](Subset subset) {
    return [subset](size_t, const Judgement &judged) { return judged.subset == subset; };
  };
  TILERIG_CHECK_OK(addColumn("index", uint64_t(), [](size_t index, const Judgement &) { return index; }));
  TILERIG_CHECK_OK(addWhole(name + "/reference", reference));
  TILERIG_CHECK_OK(addWhole(name + "/target", target));
  TILERIG_CHECK_OK(addColumn(
      "oom", double(), [&](size_t, const Judgement &judged) { return shownOom(judged.oom, logarithmic); }));
  TILERIG_CHECK_OK(
      addColumn("rel", double(), [](size_t, const Judgement &judged) { return judged.relative; }));
  TILERIG_CHECK_OK(addColumn("discarded", bool(), inSubset(Subset::discarded)));
  TILERIG_CHECK_OK(addColumn("passed", bool(), inSubset(Subset::passed)));
  return addColumn("failed", bool(), inSubset(Subset::failed));
}

Status ElementsFile::addWhole(const std::string &column, const TensorStream &stream) {
  TILERIG_TRY(const Tensor tensor, stream.whole());
  return npz->add(column, tensor);
}

Status ElementsFile::commit() { return csv ? csv->commit() : npz->commit(); }

} // namespace tilerig::verify
