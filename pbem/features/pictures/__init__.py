"""Pictures of replays, drawn by workers: a GIF of a stretch, a PNG of a step, and a page that shows a match by itself.

Begin with `pictures`, where one is asked for; `drawing` then makes it.

tables       the pictures: what each shows, and as much of the file as is drawn
pictures     asking for one, how far it is, and its file, for those who may see the replay
               request_picture, read_picture, read_file, delete_pictures_of_matches_left
drawing      draws what is due, some frames at a time
               draw_frames_of_next_picture
reels        the frames of a stretch of a replay: board, caption and sentence
gif          a GIF that grows frame by frame
boards       the boards of a saved page, packed
saved_page   a replay as one file that shows and checks a match without this site
limits       how often one place may ask
hooks        what this adds to erasure, retention, the clock and metrics
tasks        draws
pages        asking for a picture, how far it is, and the form on the page of a replay
"""
