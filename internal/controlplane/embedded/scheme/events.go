package scheme

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
)

// addConversions registers the conversions between the two forms of an Event.
func addConversions(s *runtime.Scheme) error {
	return errors.Join(
		s.AddConversionFunc((*eventsv1.Event)(nil), (*corev1.Event)(nil), convert(toCoreEvent)),
		s.AddConversionFunc((*corev1.Event)(nil), (*eventsv1.Event)(nil), convert(fromCoreEvent)),
		s.AddConversionFunc((*eventsv1.EventList)(nil), (*corev1.EventList)(nil), convert(toCoreEvents)),
		s.AddConversionFunc((*corev1.EventList)(nil), (*eventsv1.EventList)(nil), convert(fromCoreEvents)),
	)
}

func convert[In, Out any](f func(in *In, out *Out)) conversion.ConversionFunc {
	return func(a, b any, _ conversion.Scope) error {
		in, isIn := a.(*In)
		out, isOut := b.(*Out)
		if !isIn || !isOut {
			return errors.New("a conversion has objects of other types")
		}
		f(in, out)
		return nil
	}
}

func toCoreEvent(in *eventsv1.Event, out *corev1.Event) {
	*out = corev1.Event{
		ObjectMeta:          in.ObjectMeta,
		InvolvedObject:      in.Regarding,
		Reason:              in.Reason,
		Message:             in.Note,
		Source:              in.DeprecatedSource,
		FirstTimestamp:      in.DeprecatedFirstTimestamp,
		LastTimestamp:       in.DeprecatedLastTimestamp,
		Count:               in.DeprecatedCount,
		Type:                in.Type,
		EventTime:           in.EventTime,
		Action:              in.Action,
		Related:             in.Related,
		ReportingController: in.ReportingController,
		ReportingInstance:   in.ReportingInstance,
	}
	if in.Series != nil {
		out.Series = &corev1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
}

func fromCoreEvent(in *corev1.Event, out *eventsv1.Event) {
	*out = eventsv1.Event{
		ObjectMeta:               in.ObjectMeta,
		Regarding:                in.InvolvedObject,
		Reason:                   in.Reason,
		Note:                     in.Message,
		DeprecatedSource:         in.Source,
		DeprecatedFirstTimestamp: in.FirstTimestamp,
		DeprecatedLastTimestamp:  in.LastTimestamp,
		DeprecatedCount:          in.Count,
		Type:                     in.Type,
		EventTime:                in.EventTime,
		Action:                   in.Action,
		Related:                  in.Related,
		ReportingController:      in.ReportingController,
		ReportingInstance:        in.ReportingInstance,
	}
	if in.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
}

func toCoreEvents(in *eventsv1.EventList, out *corev1.EventList) {
	*out = corev1.EventList{ListMeta: in.ListMeta, Items: make([]corev1.Event, len(in.Items))}
	for i := range in.Items {
		toCoreEvent(&in.Items[i], &out.Items[i])
	}
}

func fromCoreEvents(in *corev1.EventList, out *eventsv1.EventList) {
	*out = eventsv1.EventList{ListMeta: in.ListMeta, Items: make([]eventsv1.Event, len(in.Items))}
	for i := range in.Items {
		fromCoreEvent(&in.Items[i], &out.Items[i])
	}
}
