// A kernel has a bounded number of ops, and of loops.
// RUN: smp-opt %s --smp-form-groups | FileCheck %s

// CHECK-LABEL: smp.entry @concat
// CHECK: %[[PART:.*]] = smp.group concat
// CHECK: -> tensor<128xf32>
// CHECK: smp.group concat(%[[PART]], %{{.*}})
// CHECK: -> tensor<130xf32>
// CHECK-NOT: smp.group
smp.entry @concat(%x: tensor<2xf32> {smp.name = "x"}) -> (tensor<130xf32> {smp.name = "y"}) {
  %y = smp.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<130xf32>
  smp.return %y : tensor<130xf32>
}

// CHECK-LABEL: smp.entry @chain
// CHECK: %[[ALL:.*]] = smp.group loop(%arg0)
// CHECK-COUNT-128: smp.tanh
// CHECK: smp.group loop(%[[ALL]])
// CHECK-NEXT: ^bb0
// CHECK-NEXT: smp.tanh
// CHECK-NEXT: smp.return
smp.entry @chain(%x: tensor<2xf32> {smp.name = "x"}) -> (tensor<2xf32> {smp.name = "y"}) {
  %1 = smp.tanh %x : tensor<2xf32>
  %2 = smp.tanh %1 : tensor<2xf32>
  %3 = smp.tanh %2 : tensor<2xf32>
  %4 = smp.tanh %3 : tensor<2xf32>
  %5 = smp.tanh %4 : tensor<2xf32>
  %6 = smp.tanh %5 : tensor<2xf32>
  %7 = smp.tanh %6 : tensor<2xf32>
  %8 = smp.tanh %7 : tensor<2xf32>
  %9 = smp.tanh %8 : tensor<2xf32>
  %10 = smp.tanh %9 : tensor<2xf32>
  %11 = smp.tanh %10 : tensor<2xf32>
  %12 = smp.tanh %11 : tensor<2xf32>
  %13 = smp.tanh %12 : tensor<2xf32>
  %14 = smp.tanh %13 : tensor<2xf32>
  %15 = smp.tanh %14 : tensor<2xf32>
  %16 = smp.tanh %15 : tensor<2xf32>
  %17 = smp.tanh %16 : tensor<2xf32>
  %18 = smp.tanh %17 : tensor<2xf32>
  %19 = smp.tanh %18 : tensor<2xf32>
  %20 = smp.tanh %19 : tensor<2xf32>
  %21 = smp.tanh %20 : tensor<2xf32>
  %22 = smp.tanh %21 : tensor<2xf32>
  %23 = smp.tanh %22 : tensor<2xf32>
  %24 = smp.tanh %23 : tensor<2xf32>
  %25 = smp.tanh %24 : tensor<2xf32>
  %26 = smp.tanh %25 : tensor<2xf32>
  %27 = smp.tanh %26 : tensor<2xf32>
  %28 = smp.tanh %27 : tensor<2xf32>
  %29 = smp.tanh %28 : tensor<2xf32>
  %30 = smp.tanh %29 : tensor<2xf32>
  %31 = smp.tanh %30 : tensor<2xf32>
  %32 = smp.tanh %31 : tensor<2xf32>
  %33 = smp.tanh %32 : tensor<2xf32>
  %34 = smp.tanh %33 : tensor<2xf32>
  %35 = smp.tanh %34 : tensor<2xf32>
  %36 = smp.tanh %35 : tensor<2xf32>
  %37 = smp.tanh %36 : tensor<2xf32>
  %38 = smp.tanh %37 : tensor<2xf32>
  %39 = smp.tanh %38 : tensor<2xf32>
  %40 = smp.tanh %39 : tensor<2xf32>
  %41 = smp.tanh %40 : tensor<2xf32>
  %42 = smp.tanh %41 : tensor<2xf32>
  %43 = smp.tanh %42 : tensor<2xf32>
  %44 = smp.tanh %43 : tensor<2xf32>
  %45 = smp.tanh %44 : tensor<2xf32>
  %46 = smp.tanh %45 : tensor<2xf32>
  %47 = smp.tanh %46 : tensor<2xf32>
  %48 = smp.tanh %47 : tensor<2xf32>
  %49 = smp.tanh %48 : tensor<2xf32>
  %50 = smp.tanh %49 : tensor<2xf32>
  %51 = smp.tanh %50 : tensor<2xf32>
  %52 = smp.tanh %51 : tensor<2xf32>
  %53 = smp.tanh %52 : tensor<2xf32>
  %54 = smp.tanh %53 : tensor<2xf32>
  %55 = smp.tanh %54 : tensor<2xf32>
  %56 = smp.tanh %55 : tensor<2xf32>
  %57 = smp.tanh %56 : tensor<2xf32>
  %58 = smp.tanh %57 : tensor<2xf32>
  %59 = smp.tanh %58 : tensor<2xf32>
  %60 = smp.tanh %59 : tensor<2xf32>
  %61 = smp.tanh %60 : tensor<2xf32>
  %62 = smp.tanh %61 : tensor<2xf32>
  %63 = smp.tanh %62 : tensor<2xf32>
  %64 = smp.tanh %63 : tensor<2xf32>
  %65 = smp.tanh %64 : tensor<2xf32>
  %66 = smp.tanh %65 : tensor<2xf32>
  %67 = smp.tanh %66 : tensor<2xf32>
  %68 = smp.tanh %67 : tensor<2xf32>
  %69 = smp.tanh %68 : tensor<2xf32>
  %70 = smp.tanh %69 : tensor<2xf32>
  %71 = smp.tanh %70 : tensor<2xf32>
  %72 = smp.tanh %71 : tensor<2xf32>
  %73 = smp.tanh %72 : tensor<2xf32>
  %74 = smp.tanh %73 : tensor<2xf32>
  %75 = smp.tanh %74 : tensor<2xf32>
  %76 = smp.tanh %75 : tensor<2xf32>
  %77 = smp.tanh %76 : tensor<2xf32>
  %78 = smp.tanh %77 : tensor<2xf32>
  %79 = smp.tanh %78 : tensor<2xf32>
  %80 = smp.tanh %79 : tensor<2xf32>
  %81 = smp.tanh %80 : tensor<2xf32>
  %82 = smp.tanh %81 : tensor<2xf32>
  %83 = smp.tanh %82 : tensor<2xf32>
  %84 = smp.tanh %83 : tensor<2xf32>
  %85 = smp.tanh %84 : tensor<2xf32>
  %86 = smp.tanh %85 : tensor<2xf32>
  %87 = smp.tanh %86 : tensor<2xf32>
  %88 = smp.tanh %87 : tensor<2xf32>
  %89 = smp.tanh %88 : tensor<2xf32>
  %90 = smp.tanh %89 : tensor<2xf32>
  %91 = smp.tanh %90 : tensor<2xf32>
  %92 = smp.tanh %91 : tensor<2xf32>
  %93 = smp.tanh %92 : tensor<2xf32>
  %94 = smp.tanh %93 : tensor<2xf32>
  %95 = smp.tanh %94 : tensor<2xf32>
  %96 = smp.tanh %95 : tensor<2xf32>
  %97 = smp.tanh %96 : tensor<2xf32>
  %98 = smp.tanh %97 : tensor<2xf32>
  %99 = smp.tanh %98 : tensor<2xf32>
  %100 = smp.tanh %99 : tensor<2xf32>
  %101 = smp.tanh %100 : tensor<2xf32>
  %102 = smp.tanh %101 : tensor<2xf32>
  %103 = smp.tanh %102 : tensor<2xf32>
  %104 = smp.tanh %103 : tensor<2xf32>
  %105 = smp.tanh %104 : tensor<2xf32>
  %106 = smp.tanh %105 : tensor<2xf32>
  %107 = smp.tanh %106 : tensor<2xf32>
  %108 = smp.tanh %107 : tensor<2xf32>
  %109 = smp.tanh %108 : tensor<2xf32>
  %110 = smp.tanh %109 : tensor<2xf32>
  %111 = smp.tanh %110 : tensor<2xf32>
  %112 = smp.tanh %111 : tensor<2xf32>
  %113 = smp.tanh %112 : tensor<2xf32>
  %114 = smp.tanh %113 : tensor<2xf32>
  %115 = smp.tanh %114 : tensor<2xf32>
  %116 = smp.tanh %115 : tensor<2xf32>
  %117 = smp.tanh %116 : tensor<2xf32>
  %118 = smp.tanh %117 : tensor<2xf32>
  %119 = smp.tanh %118 : tensor<2xf32>
  %120 = smp.tanh %119 : tensor<2xf32>
  %121 = smp.tanh %120 : tensor<2xf32>
  %122 = smp.tanh %121 : tensor<2xf32>
  %123 = smp.tanh %122 : tensor<2xf32>
  %124 = smp.tanh %123 : tensor<2xf32>
  %125 = smp.tanh %124 : tensor<2xf32>
  %126 = smp.tanh %125 : tensor<2xf32>
  %127 = smp.tanh %126 : tensor<2xf32>
  %128 = smp.tanh %127 : tensor<2xf32>
  %129 = smp.tanh %128 : tensor<2xf32>
  smp.return %129 : tensor<2xf32>
}
