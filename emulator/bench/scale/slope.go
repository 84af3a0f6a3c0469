package scale

import "math"

// slope returns the exponent by which values grow with sizes: the slope of the
// line that fits them best when both are taken as logarithms. A single size has
// none, and gives 0.
func slope(sizes []int, values []float64) float64 {
	n := float64(len(sizes))
	var sumX, sumY, sumXX, sumXY float64
	for i, size := range sizes {
		x, y := math.Log(float64(size)), math.Log(values[i])
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	if divisor := n*sumXX - sumX*sumX; divisor > 0 {
		return (n*sumXY - sumX*sumY) / divisor
	}
	return 0
}
