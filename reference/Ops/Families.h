// Declares the operator tables, one for each family and file; OpTable.cpp concatenates them.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

std::span<const OpEntry> activationOps();
std::span<const OpEntry> arithmeticOps();
std::span<const OpEntry> attentionOps();
std::span<const OpEntry> batchNormalisationOps();
std::span<const OpEntry> blockQuantisedOps();
std::span<const OpEntry> convolutionOps();
std::span<const OpEntry> einsumOps();
std::span<const OpEntry> fusedOps();
std::span<const OpEntry> fusedActivationOps();
std::span<const OpEntry> fusedAttentionOps();
std::span<const OpEntry> fusedNormalisationOps();
std::span<const OpEntry> groupQueryAttentionOps();
std::span<const OpEntry> movementOps();
std::span<const OpEntry> localNormalisationOps();
std::span<const OpEntry> normalisationOps();
std::span<const OpEntry> patchOps();
std::span<const OpEntry> poolingOps();
std::span<const OpEntry> preluOps();
std::span<const OpEntry> productOps();
std::span<const OpEntry> quantisationOps();
std::span<const OpEntry> quantisedElementwiseOps();
std::span<const OpEntry> quantisedPoolingOps();
std::span<const OpEntry> quantisedProductOps();
std::span<const OpEntry> reductionOps();
std::span<const OpEntry> regionOps();
std::span<const OpEntry> resizeOps();
std::span<const OpEntry> rotaryOps();
std::span<const OpEntry> samplingOps();
std::span<const OpEntry> scaledProductOps();
std::span<const OpEntry> sequenceOps();
std::span<const OpEntry> shapeOps();
std::span<const OpEntry> controlFlowOps();
std::span<const OpEntry> lossOps();
std::span<const OpEntry> softmaxOps();
std::span<const OpEntry> paddingOps();
std::span<const OpEntry> indexingOps();
std::span<const OpEntry> signalOps();
std::span<const OpEntry> selectionOps();
std::span<const OpEntry> castingOps();
std::span<const OpEntry> recurrentOps();
std::span<const OpEntry> suppressionOps();
std::span<const OpEntry> ngramOps();
std::span<const OpEntry> deformConvOps();
std::span<const OpEntry> maxRoiPoolOps();

} // namespace tilerig::reference
