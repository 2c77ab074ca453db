// RUN: tapestry-opt --tapestry-codegen-pipeline="target=cuda form-kernels=false" --split-input-file --verify-diagnostics %s

// No front end asks for it.
#id = affine_map<(i) -> (i)>
func.func @complementary(%x: memref<?xf32>, %y: memref<?xf32>) attributes {tapestry.kernel} {
  // expected-error @+1 {{'math.erfc' has no code for the target 'cuda'}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.erfc %a : f32
    linalg.yield %r : f32
  }
  return
}
