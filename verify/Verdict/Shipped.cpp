#include "verify/Verdict/Shipped.h"

// The assembler embeds the classifiers' files in the program; CMake sets their folder and rebuilds when they change.
#define EMBED(symbol, file)                                                                                  \
  asm(".section .rodata\n"                                                                                   \
      ".balign 64\n"                                                                                         \
      ".global " #symbol "\n" #symbol ":\n"                                                                  \
      ".incbin \"" TILERIG_SHIPPED_CLASSIFIERS "/" file "\"\n"                                               \
      ".global " #symbol "End\n" #symbol "End:\n"                                                            \
      ".byte 0\n"                                                                                            \
      ".previous\n");                                                                                        \
  extern "C" const std::byte symbol[], symbol##End[];
EMBED(tilerigShippedClassifier, "classifier.onnx")
EMBED(tilerigShippedClassifierOfDumps, "dumps.onnx")
#undef EMBED

namespace tilerig::verify {

Result<Classifier> shippedClassifier(reference::Threads &threads, EvidenceOf evidence) {
  if (evidence == EvidenceOf::dumpsWithModel)
    return Classifier::parse({tilerigShippedClassifierOfDumps, tilerigShippedClassifierOfDumpsEnd},
                             "the built-in classifier of dumps", threads);
  return Classifier::parse({tilerigShippedClassifier, tilerigShippedClassifierEnd}, "the built-in classifier",
                           threads);
}

Result<Classifier> openClassifier(const std::string &path, reference::Threads &threads, EvidenceOf evidence) {
  return path.empty() ? shippedClassifier(threads, evidence) : Classifier::load(path, threads);
}

} // namespace tilerig::verify
