// Compares what runtime/lib/CUDA declares of cuBLASLt with its header.
#include <cublasLt.h>

#include "CUDA/CublasLtAPI.h"
#include "alike.h"
#include <cstddef>

using namespace tapestry::rt::cuda;

#define CHECK_FUNCTION(result, name, parameters)                               \
  static_assert(AreAlike<decltype(&::name), decltype(lt::API::name)>::value,   \
                #name);
TAPESTRY_CUBLASLT_FUNCTIONS(CHECK_FUNCTION)

static_assert(sizeof(lt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
#define CHECK_FIELD(ours, theirs)                                              \
  static_assert(offsetof(lt::Heuristic, ours) ==                               \
                offsetof(cublasLtMatmulHeuristicResult_t, theirs));
CHECK_FIELD(algorithm, algo)
CHECK_FIELD(workspaceBytes, workspaceSize)
CHECK_FIELD(status, state)
CHECK_FIELD(waves, wavesCount)
static_assert(sizeof(cublasLtMatmulDescAttributes_t) == sizeof(int));
static_assert(sizeof(cublasLtMatrixLayoutAttribute_t) == sizeof(int));
static_assert(sizeof(cublasLtMatmulPreferenceAttributes_t) == sizeof(int));
static_assert(sizeof(cudaDataType) == sizeof(int));

static_assert(lt::notInitialized == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(lt::invalidValue == CUBLAS_STATUS_INVALID_VALUE);
static_assert(lt::executionFailed == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(lt::notSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(lt::realF32 == CUDA_R_32F);
static_assert(lt::realF64 == CUDA_R_64F);
static_assert(lt::realF16 == CUDA_R_16F);
static_assert(lt::realBF16 == CUDA_R_16BF);
static_assert(lt::realI8 == CUDA_R_8I);
static_assert(lt::realI32 == CUDA_R_32I);
static_assert(lt::computeF32 == CUBLAS_COMPUTE_32F);
static_assert(lt::computeF64 == CUBLAS_COMPUTE_64F);
static_assert(lt::computeI32 == CUBLAS_COMPUTE_32I);
static_assert(lt::computeTF32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(lt::transposeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(lt::transposeB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(lt::epilogue == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(lt::biasPointer == CUBLASLT_MATMUL_DESC_BIAS_POINTER);
static_assert(lt::asItIs == CUBLAS_OP_N);
static_assert(lt::transposed == CUBLAS_OP_T);
static_assert(lt::epilogueNone == CUBLASLT_EPILOGUE_DEFAULT);
static_assert(lt::epilogueReLU == CUBLASLT_EPILOGUE_RELU);
static_assert(lt::epilogueBias == CUBLASLT_EPILOGUE_BIAS);
static_assert(lt::epilogueGELU == CUBLASLT_EPILOGUE_GELU);
static_assert((lt::epilogueReLU | lt::epilogueBias) ==
              CUBLASLT_EPILOGUE_RELU_BIAS);
static_assert((lt::epilogueGELU | lt::epilogueBias) ==
              CUBLASLT_EPILOGUE_GELU_BIAS);
static_assert(lt::batchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(lt::batchStride == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(lt::mostWorkspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(lt::schemes == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(lt::wideSums == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(lt::alignmentA == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(lt::alignmentB == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(lt::alignmentC == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(lt::alignmentD == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
