// Results of checking compiler passes on many models: counts, and the passes that were reported as wrong.
#pragma once

#include "tests/conformance/clean-passes/JudgedModule.h"

#include <map>

namespace tilerig::meaning {

class Findings {
public:
  // Reproducers of passes reported as wrong are written to `folder`; if `folder` is empty, none are written.
  explicit Findings(std::string folder) : folder(std::move(folder)) {}

  void addRefusedModel(const std::string &model, const Error &error);
  void addError(const std::string &model, const std::string &run, const Error &error);
  Status add(const std::string &model, const PassRun &run, const PassJudgement &judgement);
  void print() const;

  size_t accused() const { return accusedCount; }
  size_t errors() const { return errorCount; }
  // Whether the check examined any pass; if not, the counts mean nothing.
  bool hasChecked() const { return checkedCount > 0; }

private:
  std::string folder;
  size_t models = 0, runs = 0, passesRun = 0, checkedCount = 0, accusedCount = 0, errorCount = 0;
  std::string lastModel;
  std::map<std::string, size_t> skipped;  // number of skipped passes, by pass and reason
  std::map<std::string, size_t> refusals; // number of models by the reason why they were not imported
  std::map<std::string, size_t> withoutLayers;
};

} // namespace tilerig::meaning
