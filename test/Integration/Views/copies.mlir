// A concatenation of slices is what it is of: nothing is sent, nothing copied. In
// another order they are read where they lie, by a product as well, and handed out they
// are written once, which is no copy. Two readers of what an input has read it there,
// too.

// RUN: mkdir -p %t
// RUN: %python -c "import numpy as np; np.save('%t/W.npy', np.arange(60 * 8, dtype=np.float32).reshape(60, 8) / 512)"
// RUN: %python -c "import numpy as np; np.save('%t/X.npy', np.arange(64 * 60, dtype=np.float32).reshape(64, 60) / 4096)"
// RUN: tapestry run %s --graph same --devices 4 -i X=%t/X.npy -o Y=%t/Y.npy --report %t/same.json
// RUN: %python -c "import json, numpy as np; r = json.load(open('%t/same.json')); print(sum(c['counted_bytes'] for c in r['collectives']), r['copied_bytes'], r['copies'], np.allclose(np.load('%t/Y.npy'), np.exp(np.load('%t/X.npy'))))" | FileCheck --check-prefix=SAME %s
// SAME: 0 0 [] True
// RUN: tapestry run %s --graph turned --devices 3 -i X=%t/X.npy -o Y=%t/Y.npy --report %t/turned.json
// RUN: %python -c "import json, numpy as np; r = json.load(open('%t/turned.json')); x = np.load('%t/X.npy'); print(sum(c['counted_bytes'] for c in r['collectives']), r['copied_bytes'], r['copies'], np.allclose(np.load('%t/Y.npy'), np.exp(np.roll(x, -20, 0))))" | FileCheck --check-prefix=TURNED %s
// TURNED: 0 0 [] True
// RUN: tapestry run %s --graph twice --devices 3 -i X=%t/X.npy -o Y=%t/Y.npy -o Z=%t/Z.npy --report %t/twice.json
// RUN: %python -c "import json, numpy as np; r = json.load(open('%t/twice.json')); x = np.roll(np.load('%t/X.npy'), -20, 0); print(r['copies'], np.allclose(np.load('%t/Y.npy'), np.exp(x)), np.allclose(np.load('%t/Z.npy'), x.sum(1), rtol=1e-4))" | FileCheck --check-prefix=TWICE %s
// TWICE: [] True True
// RUN: tapestry run %s --graph handed --devices 3 -i X=%t/X.npy -o Y=%t/Y.npy --report %t/handed.json
// RUN: %python -c "import json, numpy as np; r = json.load(open('%t/handed.json')); x = np.load('%t/X.npy'); print(sum(c['counted_bytes'] for c in r['collectives']), r['copied_bytes'], r['copies'], np.array_equal(np.load('%t/Y.npy'), np.roll(x, -20, 0)))" | FileCheck --check-prefix=HANDED %s
// HANDED: 0 0 [] True
// RUN: tapestry run %s --graph gap --devices 3 --cost spmd -i X=%t/X.npy -i W=%t/W.npy -o Y=%t/Y.npy --report %t/gap.json
// RUN: %python -c "import json, numpy as np; r = json.load(open('%t/gap.json')); x = np.load('%t/X.npy'); print(sum(c['counted_bytes'] for c in r['collectives']), r['copied_bytes'], r['copies'], np.allclose(np.load('%t/Y.npy'), np.concatenate([x[:20], x[30:]]) @ np.load('%t/W.npy'), rtol=1e-4))" | FileCheck --check-prefix=GAP %s
// GAP: 0 0 [] True

tapestry.graph @same {
  %X = tapestry.source "X" : tensor<64x60xf32>
  %a = tapestry.slice "a" %X [0, 0] => [20, 60] : (tensor<64x60xf32>) -> tensor<20x60xf32>
  %b = tapestry.slice "b" %X [20, 0] => [64, 60] : (tensor<64x60xf32>) -> tensor<44x60xf32>
  %c = tapestry.concat "c" %a, %b along 0 : (tensor<20x60xf32>, tensor<44x60xf32>) -> tensor<64x60xf32>
  %Y = tapestry.einsum "Y" [i = 64, j = 60] (%c[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    tapestry.yield %y : f32
  } : (tensor<64x60xf32>) -> tensor<64x60xf32>
  tapestry.sink "Y", %Y : tensor<64x60xf32>
}

tapestry.graph @turned {
  %X = tapestry.source "X" : tensor<64x60xf32>
  %a = tapestry.slice "a" %X [0, 0] => [20, 60] : (tensor<64x60xf32>) -> tensor<20x60xf32>
  %b = tapestry.slice "b" %X [20, 0] => [64, 60] : (tensor<64x60xf32>) -> tensor<44x60xf32>
  %c = tapestry.concat "c" %b, %a along 0 : (tensor<44x60xf32>, tensor<20x60xf32>) -> tensor<64x60xf32>
  %Y = tapestry.einsum "Y" [i = 64, j = 60] (%c[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    tapestry.yield %y : f32
  } : (tensor<64x60xf32>) -> tensor<64x60xf32>
  tapestry.sink "Y", %Y : tensor<64x60xf32>
}

tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<64x60xf32>
  %a = tapestry.slice "a" %X [0, 0] => [20, 60] : (tensor<64x60xf32>) -> tensor<20x60xf32>
  %b = tapestry.slice "b" %X [20, 0] => [64, 60] : (tensor<64x60xf32>) -> tensor<44x60xf32>
  %c = tapestry.concat "c" %b, %a along 0 : (tensor<44x60xf32>, tensor<20x60xf32>) -> tensor<64x60xf32>
  %Y = tapestry.einsum "Y" [i = 64, j = 60] (%c[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    tapestry.yield %y : f32
  } : (tensor<64x60xf32>) -> tensor<64x60xf32>
  %Z = tapestry.einsum "Z" [i = 64, j = 60] (%c[i, j]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<64x60xf32>) -> tensor<64xf32>
  tapestry.sink "Y", %Y : tensor<64x60xf32>
  tapestry.sink "Z", %Z : tensor<64xf32>
}

tapestry.graph @handed {
  %X = tapestry.source "X" : tensor<64x60xf32>
  %a = tapestry.slice "a" %X [0, 0] => [20, 60] : (tensor<64x60xf32>) -> tensor<20x60xf32>
  %b = tapestry.slice "b" %X [20, 0] => [64, 60] : (tensor<64x60xf32>) -> tensor<44x60xf32>
  %c = tapestry.concat "c" %b, %a along 0 : (tensor<44x60xf32>, tensor<20x60xf32>) -> tensor<64x60xf32>
  tapestry.sink "Y", %c : tensor<64x60xf32>
}

tapestry.graph @gap {
  %X = tapestry.source "X" : tensor<64x60xf32>
  %W = tapestry.source "W" : tensor<60x8xf32>
  %a = tapestry.slice "a" %X [0, 0] => [20, 60] : (tensor<64x60xf32>) -> tensor<20x60xf32>
  %b = tapestry.slice "b" %X [30, 0] => [64, 60] : (tensor<64x60xf32>) -> tensor<34x60xf32>
  %c = tapestry.concat "c" %a, %b along 0 : (tensor<20x60xf32>, tensor<34x60xf32>) -> tensor<54x60xf32>
  %Y = tapestry.einsum "Y" [i = 54, j = 8, k = 60] (%c[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%x: f32, %w: f32):
    %y = arith.mulf %x, %w : f32
    tapestry.yield %y : f32
  } : (tensor<54x60xf32>, tensor<60x8xf32>) -> tensor<54x8xf32>
  tapestry.sink "Y", %Y : tensor<54x8xf32>
}
